// Draws the charts of the page from the data block, in the colours of the reader's scheme, and saves
// tables as CSV. No request leaves the page.
"use strict";
(() => {
  const report = JSON.parse(document.getElementById("report-data").textContent);
  const root = document.documentElement;
  const scheme = window.matchMedia("(prefers-color-scheme: dark)");
  const coarse = window.matchMedia("(pointer: coarse)");
  const PRINT_WIDTH = 688; // A4 less the margins of @page, in CSS pixels
  const CARD_PADDING = 20;

  const unfold = () => document.querySelectorAll("details.folded").forEach((folded) => (folded.open = true));
  if (location.hash === "#print") {
    root.dataset.print = "";
    unfold();
  }
  const toPrint = () => "print" in root.dataset;

  const style = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  // A spec has light colours; a dark page takes their twins.
  const coloured = (value) => {
    if (typeof value === "string") return report.dark[value] ?? value;
    if (Array.isArray(value)) {
      return typeof value[0] === "number" ? value : value.map(coloured);
    }
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, coloured(part)]));
    }
    return value;
  };

  // On a narrow page: few and upright marks along x, long names of rows in lines, room for a tall legend.
  const NARROW = 480;
  const LETTER = 6.6; // mean width of a letter of 12 px, in CSS pixels
  const LINE = 19; // height of a line of the legend
  const HIGHEST_LEGEND = 1000; // CSS pixels: no legend scrolls, as plotly lets one that is half the chart
  const MOST_FOR_ROWS = 0.42; // share of the width that names of rows may take before they go in lines
  const TWO_LINES = 30; // height of the name of a row in two lines

  const inLines = (text, letters) =>
    text.split(" ").reduce((lines, word) => {
      const last = lines.at(-1);
      if (last !== undefined && last.length + word.length < letters) lines[lines.length - 1] = `${last} ${word}`;
      else lines.push(word);
      return lines;
    }, []).join("<br>");

  // The names of rows of bars that lie, and of marks by rows.
  const rowNames = (spec) =>
    [...new Set(spec.data.flatMap((trace) => trace.y ?? []).filter((y) => typeof y === "string" && !/^\d{4}-\d\d/.test(y)))];

  const narrowAxes = (spec, width, height) => {
    const names = rowNames(spec);
    const apart = names.length * TWO_LINES < height;
    const rows = apart ? names.map((name) => inLines(name, (MOST_FOR_ROWS * width) / LETTER)) : names;
    const longest = Math.max(0, ...rows.flatMap((row) => row.split("<br>")).map((line) => line.length));
    const upright = spec.layout.xaxis.type === "category" || spec.data.some((trace) => typeof trace.x?.[0] === "string");
    const marks = Math.max(2, Math.floor((width - LETTER * longest) / 56));
    return {
      x: upright ? {} : { nticks: marks, tickangle: 0, dtick: undefined },
      y: rows.some((row) => row.includes("<br>")) ? { tickvals: names, ticktext: rows } : {},
    };
  };

  // Lines of the legend beyond the first, for which a chart becomes higher.
  const legendLines = (spec, width) => {
    const names = spec.data.filter((trace) => trace.name && trace.showlegend !== false).map((trace) => trace.name);
    if (spec.layout.showlegend === false || names.length < 2) return 0;
    const each = 45 + LETTER * Math.max(...names.map((name) => name.length));
    return Math.ceil(names.length / Math.max(1, Math.floor((0.7 * width) / each))) - 1;
  };

  const themedAxis = (axis, width) => ({
    ...axis,
    nticks: axis.type === "category" ? Math.min(axis.nticks, Math.floor(width / 26)) : axis.nticks,
    title: { ...axis.title, standoff: 8, font: { size: 12, color: style("--quiet") } },
    color: style("--quiet"),
    gridcolor: style("--grid"),
    linecolor: style("--line"),
    zerolinecolor: style("--line"),
    fixedrange: coarse.matches,
  });

  const themed = (spec, width, height, printed) => {
    const dark = scheme.matches && !toPrint();
    const layout = dark ? coloured(spec.layout) : spec.layout;
    const ground = style("--card");
    const narrow = width < NARROW && !toPrint() ? narrowAxes(spec, width, height) : { x: {}, y: {} };
    const lines = toPrint() ? 0 : legendLines(spec, width);
    return {
      data: (dark ? coloured(spec.data) : spec.data).map((trace) => ({ ...trace })),
      layout: {
        ...layout,
        xaxis: { ...themedAxis(layout.xaxis, width), ...narrow.x },
        yaxis: { ...themedAxis(layout.yaxis, width), ...narrow.y },
        ...(layout.yaxis2 ? { yaxis2: themedAxis(layout.yaxis2, width) } : {}),
        legend: { ...layout.legend, font: { size: 12 }, bgcolor: "rgba(0,0,0,0)", maxheight: HIGHEST_LEGEND },
        modebar: { bgcolor: "rgba(0,0,0,0)", color: style("--quiet"), activecolor: style("--accent") },
        paper_bgcolor: "rgba(0,0,0,0)",
        plot_bgcolor: "rgba(0,0,0,0)",
        font: { family: style("--sans"), size: 12, color: style("--ink") },
        hoverlabel: { bgcolor: ground, bordercolor: style("--line"), font: { color: style("--ink") } },
        margin: { l: 8, r: 12, t: layout.showlegend ? 32 : 12, b: 8 },
        height: height + lines * LINE,
        dragmode: coarse.matches ? false : "zoom",
        autosize: !toPrint(),
        ...(toPrint() ? { width: printed } : {}),
      },
    };
  };

  const config = {
    responsive: !toPrint(),
    displaylogo: false,
    displayModeBar: toPrint() ? false : "hover",
    // No chart leaves the page: what plotly would send to its cloud is not offered.
    modeBarButtonsToRemove: [
      "select2d", "lasso2d", "autoScale2d", "zoomIn2d", "zoomOut2d", "pan2d", "sendChartToCloud",
    ],
    toImageButtonOptions: { format: "png", scale: 2 },
    showTips: false,
  };

  const plots = [...document.querySelectorAll(".plot")];
  // A chart fills its card, which may be stretched by its neighbour; measured while the cards are empty.
  const heights = new Map(plots.map((plot) => [plot, plot.clientHeight]));
  const draw = (plot) => {
    const { spec } = report.figures[plot.dataset.figure];
    // A page laid out otherwise says on the chart how wide it is on paper.
    const printed = Number(plot.dataset.printWidth) || PRINT_WIDTH - 2 * CARD_PADDING;
    const { data, layout } = themed(spec, plot.clientWidth, toPrint() ? 215 : heights.get(plot), printed);
    const drawn = Plotly.react(plot, data, layout, config);
    return toPrint() ? drawn : drawn.then(() => titlesInLines(plot, layout));
  };

  // Titles of axes that reach beyond the chart, in as many lines as they need.
  const titlesInLines = (plot, layout) => {
    const edge = plot.getBoundingClientRect();
    const changes = {};
    for (const [key, selector, low, high] of [
      ["xaxis", ".xtitle", "left", "right"], ["yaxis", ".ytitle", "top", "bottom"], ["yaxis2", ".y2title", "top", "bottom"],
    ]) {
      const title = plot.querySelector(selector);
      if (!title || !layout[key]?.title?.text) continue;
      const at = title.getBoundingClientRect();
      const middle = (at[low] + at[high]) / 2;
      const room = 2 * Math.min(middle - edge[low], edge[high] - middle);
      const lines = Math.ceil((at[high] - at[low]) / Math.max(room, 1));
      if (lines < 2) continue;
      const { text } = layout[key].title;
      changes[`${key}.title.text`] = inLines(text, Math.ceil(text.length / lines) + 4);
    }
    return Object.keys(changes).length ? Plotly.relayout(plot, changes) : plot;
  };
  // A chart in a folded section has no size before the section opens.
  const shown = (plot) => plot.closest("details:not([open])") === null;
  for (const folded of document.querySelectorAll("details.folded")) {
    folded.addEventListener("toggle", () => {
      if (!folded.open) return;
      for (const plot of plots.filter((plot) => folded.contains(plot) && shown(plot))) {
        if (!heights.get(plot)) heights.set(plot, plot.clientHeight);
        draw(plot);
      }
    });
  }
  const drawAll = async () => {
    delete root.dataset.plots;
    for (const plot of plots.filter(shown)) {
      await draw(plot);
    }
    root.dataset.plots = "drawn";
  };

  // Text cells in quotes where they need them, numbers as they are (RFC 4180).
  const csvCell = (cell) => {
    const text = cell === null ? "" : String(cell);
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const csv = (figure) =>
    [figure.columns, ...figure.rows].map((row) => row.map(csvCell).join(",") + "\r\n").join("");

  const save = (name, text) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type: "text/csv;charset=utf-8" }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };
  for (const button of document.querySelectorAll("button.csv")) {
    const id = button.dataset.figure;
    button.addEventListener("click", () => save(`${id}.csv`, csv(report.figures[id])));
  }

  // For a page's own script: the data, and a figure of it drawn again when it has changed.
  window.iowatt = {
    report,
    redraw: (id) => draw(plots.find((plot) => plot.dataset.figure === id)),
  };

  scheme.addEventListener("change", drawAll);
  window.addEventListener("beforeprint", () => {
    if (toPrint()) return;
    root.dataset.print = "";
    unfold();
    plots.forEach(draw);
  });
  window.addEventListener("afterprint", () => {
    if (location.hash === "#print") return;
    delete root.dataset.print;
    drawAll();
  });
  drawAll();
})();
