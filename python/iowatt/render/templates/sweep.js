// The reader's part of a sweep's page: which two figures the Pareto view sets against each other, and the order
// of the table of points. The front and the knee are found as iowatt.evaluate.search.pareto finds them.
"use strict";
(() => {
  const { report, redraw } = window.iowatt;

  // --- the Pareto view ---

  const pareto = (xs, ys, lower) => {
    const signs = lower.map((way) => (way ? 1 : -1));
    const known = xs
      .map((x, at) => [x === null ? null : signs[0] * x, ys[at] === null ? null : signs[1] * ys[at], at])
      .filter(([x, y]) => x !== null && y !== null)
      .sort((a, b) => a[0] - b[0] || a[1] - b[1] || a[2] - b[2]);
    const front = [];
    let best = Infinity;
    let last = [NaN, NaN];
    for (const [x, y, at] of known) {
      if (y < best || (x === last[0] && y === last[1])) {
        front.push(at);
        best = Math.min(best, y);
        last = [x, y];
      }
    }
    return { front, knee: knee(front.map((at) => signs[0] * xs[at]), front.map((at) => signs[1] * ys[at])) };
  };
  // Position in the front, or null: farthest beyond the line between the front's ends, both scaled to its span.
  const knee = (x, y) => {
    if (x.length < 3) return null;
    const wide = x[x.length - 1] - x[0];
    const high = y[0] - y[y.length - 1];
    if (wide <= 0 || high <= 0) return null;
    const gains = x.map((a, i) => 1 - (a - x[0]) / wide - (y[i] - y[y.length - 1]) / high);
    const at = gains.indexOf(Math.max(...gains));
    return gains[at] > 1e-9 ? at : null;
  };
  window.iowatt.pareto = pareto;

  const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

  const choices = report.choices;
  const form = document.getElementById("choose");
  if (choices && form) {
    const figure = report.figures["sweep-pareto"];
    const field = (name) => document.getElementById(`choose-${name}`);
    const metric = (key) => choices.metrics.find((one) => one.key === key);

    for (const axis of ["x", "y"]) {
      for (const [title, common] of [["Common", true], ["All others", false]]) {
        const group = document.createElement("optgroup");
        group.label = title;
        for (const one of choices.metrics.filter((m) => m.common === common)) {
          const option = new Option(one.title, one.key);
          group.append(option);
        }
        if (group.children.length) field(axis).append(group);
      }
      field(axis).value = choices[axis];
      field(`${axis}-way`).value = metric(choices[axis]).lower ? "lower" : "higher";
      field(axis).addEventListener("change", () => {
        field(`${axis}-way`).value = metric(field(axis).value).lower ? "lower" : "higher";
        show();
      });
      field(`${axis}-way`).addEventListener("change", () => show());
    }
    field("all").addEventListener("change", () => show());

    const looks = Object.fromEntries(figure.spec.data.map((trace) => [trace.name, trace]));
    const knees = looks.Knee ?? {
      ...looks["Pareto front"],
      name: "Knee",
      mode: "markers",
      marker: { color: "#d55e00", size: 14, symbol: "diamond" },
    };

    const show = () => {
      const [x, y] = [field("x").value, field("y").value];
      const withAll = field("all").checked;
      const value = (key, at) => (withAll || choices.points[at].steady ? choices.values[key][at] : null);
      const all = choices.points.map((_, at) => at);
      const xs = all.map((at) => value(x, at));
      const ys = all.map((at) => value(y, at));
      const lower = [field("x-way").value === "lower", field("y-way").value === "lower"];
      const { front, knee: bend } = pareto(xs, ys, lower);
      const on = new Set(front);
      const best = bend === null ? null : front[bend];
      const known = all.filter((at) => xs[at] !== null && ys[at] !== null);
      const at = (trace, chosen) => ({
        ...trace,
        x: chosen.map((i) => xs[i]),
        y: chosen.map((i) => ys[i]),
        text: chosen.map((i) => plain(choices.points[i].label)),
      });
      figure.spec.data = [
        at(looks["Beaten by another"], known.filter((i) => !on.has(i))),
        at(looks["Pareto front"], front),
        ...(best === null ? [] : [at(knees, [best])]),
      ];
      const titles = [metric(x).title, metric(y).title];
      figure.spec.layout.xaxis.title.text = titles[0];
      figure.spec.layout.yaxis.title.text = titles[1];
      figure.columns = ["Point", "Where", ...titles, "On the front"];
      figure.rows = known.map((i) => [
        choices.points[i].number,
        choices.points[i].label,
        xs[i],
        ys[i],
        i === best ? "knee" : on.has(i) ? "front" : "",
      ]);
      fill(document.querySelector("#sweep-pareto table"), figure);
      redraw("sweep-pareto");
    };
    form.hidden = false;
    form.addEventListener("submit", (event) => event.preventDefault());
  }

  const number = new Intl.NumberFormat("en", { maximumSignificantDigits: 4 });
  const shown = (cell) => (cell === null ? "–" : typeof cell === "number" ? number.format(cell) : cell);
  const fill = (table, figure) => {
    const cells = (tag, values) => values.map((cell) => {
      const made = document.createElement(tag);
      made.textContent = tag === "th" ? cell : shown(cell);
      return made;
    });
    const numeric = figure.columns.map((_, i) => figure.rows.some((row) => typeof row[i] === "number"));
    const row = (made) => {
      const line = document.createElement("tr");
      made.forEach((cell, i) => numeric[i] && cell.classList.add("n"));
      line.append(...made);
      return line;
    };
    table.tHead.replaceChildren(row(cells("th", figure.columns)));
    table.tBodies[0].replaceChildren(...figure.rows.map((values) => row(cells("td", values))));
  };

  // --- the sortable table ---

  const sortable = document.querySelector("#sweep-points table, #curve-points table");
  if (sortable) {
    const { rows } = report.figures[sortable.closest("figure").id];
    const lines = [...sortable.tBodies[0].rows];
    const order = lines.map((_, at) => at);
    const headings = [...sortable.tHead.rows[0].cells];
    const words = new Intl.Collator("en", { numeric: true });
    const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : words.compare(a, b));
    headings.forEach((heading, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "sort";
      button.append(...heading.childNodes);
      heading.append(button);
      button.addEventListener("click", () => {
        const way = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
        headings.forEach((other) => other.removeAttribute("aria-sort"));
        heading.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
        order.sort((a, b) => {
          const [x, y] = [rows[a][column], rows[b][column]];
          // What has no value stays last, whichever way.
          if (x === null || y === null) return (x === null) - (y === null) || a - b;
          return way * compare(x, y) || a - b;
        });
        sortable.tBodies[0].append(...order.map((at) => lines[at]));
      });
    });
  }
})();
