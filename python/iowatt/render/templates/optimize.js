// The reader's part of an optimisation's page: which figures are set against each other, which points are shown,
// and the order of the table of points. One filter holds for the view, the lines and the table.
"use strict";
(() => {
  const { report, redraw } = window.iowatt;
  const explore = report.explore;
  const page = document.getElementById("optimize-points");
  if (!explore || !page) return;
  const points = report.figures["optimize-points"];
  const every = points.rows.map((_, at) => at);
  const plain = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const make = (tag, given = {}, ...parts) => {
    const made = Object.assign(document.createElement(tag), given);
    made.append(...parts);
    return made;
  };

  // --- the filter: settings of each axis, and what became of a point ---

  const FEW = 12; // settings up to which each has its own box
  const form = document.getElementById("filter");
  const fields = document.getElementById("filter-fields");
  const tests = [];
  const boxes = (title, names, keep) => {
    const set = make("fieldset", {}, make("legend", { textContent: title }));
    const made = names.map(([value, name]) => {
      const box = make("input", { type: "checkbox", value, defaultChecked: true, checked: true });
      set.append(make("label", { className: "check" }, box, ` ${name}`));
      return box;
    });
    tests.push((at) => {
      const value = String(keep(at));
      return made.every((box) => box.checked) || made.some((box) => box.checked && box.value === value);
    });
    fields.append(set);
  };
  const range = (title, settings, keep) => {
    const set = make("fieldset", {}, make("legend", { textContent: title }));
    const ends = ["from", "to"].map((word, end) => {
      const list = make("select");
      settings.forEach((setting, i) => {
        const chosen = i === (end ? settings.length - 1 : 0);
        list.append(new Option(setting, String(i), chosen, chosen));
      });
      set.append(make("label", {}, `${word} `, list));
      return list;
    });
    const whole = () => ends[0].value === "0" && ends[1].value === String(settings.length - 1);
    tests.push((at) => whole() || (keep(at) >= Number(ends[0].value) && keep(at) <= Number(ends[1].value)));
    fields.append(set);
  };
  explore.axes.forEach((axis, i) => {
    const keep = (at) => explore.places[at][i];
    if (axis.settings.length < 2) return;
    if (axis.settings.length <= FEW) boxes(axis.name, axis.settings.map((name, n) => [String(n), name]), keep);
    else range(axis.name, axis.settings, keep);
  });
  boxes("Points", Object.entries(explore.kindNames), (at) => explore.kinds[at]);

  let allowed = every;
  const count = new Intl.NumberFormat("en");
  const apply = () => {
    allowed = every.filter((at) => tests.every((test) => test(at)));
    document.getElementById("filter-count").textContent =
      `${count.format(allowed.length)} of ${count.format(every.length)} points are shown.`;
  };

  // --- the view ---

  const view = report.figures["optimize-view"];
  const field = (name) => document.getElementById(`choose-${name}`);
  const cell = (at, column) => points.rows[at][explore.columns[column].at];
  const looks = Object.fromEntries(view.spec.data.map((trace) => [trace.name, trace]));
  for (const way of ["x", "y"]) {
    for (const [title, wanted] of [["Figures", (one) => one.axis === null], ["Settings", (one) => one.axis !== null]]) {
      const group = make("optgroup", { label: title });
      explore.columns.forEach((one, i) => wanted(one) && group.append(new Option(one.title, String(i))));
      if (group.children.length) field(way).append(group);
    }
    field(way).value = String(explore[way]);
    field(way).addEventListener("change", () => show());
  }

  const limits = (column, way) => {
    const other = way === "x" ? "y" : "x";
    return explore.columns[column].limits.map((limit) => ({
      type: "line", [`${way}ref`]: way, [`${other}ref`]: "paper", [`${way}0`]: limit, [`${way}1`]: limit,
      [`${other}0`]: 0, [`${other}1`]: 1, line: { color: "#d55e00", width: 1.5, dash: "dot" },
    }));
  };
  const scale = (column, before) => {
    const one = explore.columns[column];
    const title = { ...before.title, text: plain(one.title) };
    const kept = { automargin: true, exponentformat: "none", separatethousands: true, title };
    if (one.numeric || one.axis === null) return kept;
    const names = explore.axes[one.axis].settings.map(plain);
    return { ...kept, type: "category", categoryorder: "array", categoryarray: names };
  };

  const show = () => {
    const [x, y] = [Number(field("x").value), Number(field("y").value)];
    const known = allowed.filter((at) => cell(at, x) !== null && cell(at, y) !== null);
    const mark = (value) => (typeof value === "string" ? plain(value) : value);
    const onPair = explore.pair && explore.pair[0] === x && explore.pair[1] === y;
    const at = (trace, chosen) => ({
      ...trace,
      x: chosen.map((i) => mark(cell(i, x))),
      y: chosen.map((i) => mark(cell(i, y))),
      text: chosen.map((i) => explore.labels[i]),
    });
    const drawn = explore.traces.map((kind) => {
      const trace = looks[explore.kindNames[kind]];
      if (!trace) return null;
      const chosen = known.filter((i) => explore.kinds[i] === kind);
      if (kind !== "front") return at(trace, chosen);
      // The line of the front stays a line of what can be had only between the two objectives.
      chosen.sort((a, b) => (cell(a, x) < cell(b, x) ? -1 : cell(a, x) > cell(b, x) ? 1 : 0));
      const whole = onPair && explore.front.every((i) => known.includes(i));
      return { ...at(trace, chosen), ...(whole ? explore.line : { mode: "markers" }) };
    });
    const marks = Object.entries(explore.marks).map(([name, i]) =>
      looks[name] && known.includes(i) ? at(looks[name], [i]) : null);
    view.spec.data = [...drawn, ...marks].filter((trace) => trace !== null);
    const before = view.spec.layout;
    view.spec.layout = {
      ...before,
      xaxis: scale(x, before.xaxis),
      yaxis: scale(y, before.yaxis),
      shapes: [...limits(x, "x"), ...limits(y, "y")],
    };
    view.columns = ["Point", "Where", explore.columns[x].title, explore.columns[y].title, "What it is"];
    view.rows = known
      .filter((i) => explore.traces.includes(explore.kinds[i]))
      .slice(0, explore.mostRows)
      .map((i) => [
        points.rows[i][0],
        explore.labels[i].slice(explore.labels[i].indexOf(":") + 2),
        cell(i, x),
        cell(i, y),
        i === explore.marks.Winner ? "Winner" : explore.kindNames[explore.kinds[i]],
      ]);
    const shows = [x, y].map((column) => showing[explore.columns[column].at]);
    fill(document.querySelector("#optimize-view table"), view, [asGiven, asGiven, ...shows, asGiven]);
    redraw("optimize-view");
  };

  // --- the lines ---

  const lines = report.figures["optimize-lines"];
  const strokes = lines ? lines.spec.data.map((trace) => ({ ...trace })) : [];
  const weave = () => {
    if (!lines) return;
    const drawn = allowed.filter((at) => explore.heights[at] !== null).slice(0, explore.mostLines);
    const kindOf = Object.fromEntries(Object.entries(explore.kindNames).map(([kind, name]) => [name, kind]));
    lines.spec.data = strokes.map((trace) => {
      const mine = trace.name === "Winner"
        ? drawn.filter((at) => at === explore.marks.Winner)
        : drawn.filter((at) => explore.kinds[at] === kindOf[trace.name]);
      return {
        ...trace,
        x: mine.flatMap((at) => [...explore.heights[at].keys(), null]),
        y: mine.flatMap((at) => [...explore.heights[at], null]),
      };
    });
    const crossed = explore.uprights.map((column) => explore.columns[column].at);
    lines.rows = drawn.map((at) => [
      points.rows[at][0], ...crossed.map((i) => points.rows[at][i]), explore.kindNames[explore.kinds[at]],
    ]);
    fill(document.querySelector("#optimize-lines table"), lines, [asGiven, ...crossed.map((i) => showing[i]), asGiven]);
    redraw("optimize-lines");
  };

  // --- tables ---

  // As iowatt.report.numbers.significant shows a figure: four digits, and all before the point.
  const significant = (value) => {
    if (value === 0) return "0";
    const places = Math.min(20, Math.max(0, 3 - Math.floor(Math.log10(Math.abs(Number(value.toPrecision(4)))))));
    return value.toLocaleString("en", { minimumFractionDigits: places, maximumFractionDigits: places });
  };
  const given = new Intl.NumberFormat("en", { maximumSignificantDigits: 12, useGrouping: false });
  const shown = (value, show) => (value === null ? "–" : typeof value === "number" ? show(value) : value);
  const asGiven = (value) => given.format(value);
  const wholly = (value) => count.format(value);
  // How numbers of a column of the table of points are shown, by its place there; the first is the point's number.
  const showing = points.columns.map((_, i) => {
    const column = explore.columns.find((one) => one.at === i);
    if (!column) return asGiven;
    return column.axis === null ? (column.whole ? wholly : significant) : asGiven;
  });
  const line = (cells) => make("tr", {}, ...cells);
  const fill = (table, figure, shows) => {
    const numeric = figure.columns.map((_, i) => figure.rows.some((row) => typeof row[i] === "number"));
    const cells = (tag, values) => values.map((value, i) =>
      make(tag, { textContent: tag === "th" ? value : shown(value, shows[i]), className: numeric[i] ? "n" : "" }));
    table.tHead.replaceChildren(line(cells("th", figure.columns)));
    table.tBodies[0].replaceChildren(...figure.rows.map((row) => line(cells("td", row))));
  };

  const table = page.querySelector("table");
  const headings = [...table.tHead.rows[0].cells];
  const isNumber = headings.map((heading) => heading.classList.contains("n"));
  const words = new Intl.Collator("en", { numeric: true });
  const compare = (a, b) => (typeof a === "number" && typeof b === "number" ? a - b : words.compare(a, b));
  let sorted = null; // column and way, or null for best first
  let most = explore.rows;
  const more = document.getElementById("points-more");
  const list = () => {
    const order = [...allowed];
    if (sorted) {
      const { column, way } = sorted;
      order.sort((a, b) => {
        const [x, y] = [points.rows[a][column], points.rows[b][column]];
        // What has no value stays last, whichever way.
        if (x === null || y === null) return (x === null) - (y === null) || a - b;
        return way * compare(x, y) || a - b;
      });
    }
    const rows = order.slice(0, most).map((at) => line(points.rows[at].map((value, i) =>
      make("td", { textContent: shown(value, showing[i]), className: isNumber[i] ? "n" : "" }))));
    table.tBodies[0].replaceChildren(...rows);
    document.getElementById("points-shown").textContent =
      `${count.format(rows.length)} of ${count.format(order.length)} rows`;
    more.hidden = rows.length >= order.length;
  };
  more.addEventListener("click", () => {
    most += 5 * explore.rows;
    list();
  });
  headings.forEach((heading, column) => {
    const button = make("button", { type: "button", className: "sort" }, ...heading.childNodes);
    heading.append(button);
    button.addEventListener("click", () => {
      const way = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      headings.forEach((other) => other.removeAttribute("aria-sort"));
      heading.setAttribute("aria-sort", way > 0 ? "ascending" : "descending");
      sorted = { column, way };
      list();
    });
  });

  const refresh = () => {
    apply();
    show();
    weave();
    list();
  };
  form.addEventListener("change", refresh);
  form.addEventListener("reset", () => setTimeout(refresh));
  for (const one of [form, document.getElementById("choose")]) {
    one.hidden = false;
    one.addEventListener("submit", (event) => event.preventDefault());
  }
  apply();
  more.hidden = page.querySelectorAll("tbody tr").length >= every.length;
})();
