// The chart of all Runs: response time against power, with the service level as a line to drag.

const NAMES = { p95_ms: "p95", p99_ms: "p99", mean_ms: "Mean" };
const SMALLEST = 7;
const LARGEST = 34;
const UNPRICED = 9;

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dark = () => window.matchMedia("(prefers-color-scheme: dark)").matches;
const colours = () => (dark() ? { simulated: "#56b4e9", measured: "#f0c648" } : { simulated: "#0072b2", measured: "#b35400" });

/** Areas in proportion to dollars per usable TB, between limits; on a log scale, since prices span decades. */
const sizes = (prices) => {
  const known = prices.filter((one) => one > 0).map(Math.log);
  const low = Math.min(...known);
  const span = Math.max(...known) - low || 1;
  return prices.map((one) => (one > 0 ? SMALLEST + (LARGEST - SMALLEST) * ((Math.log(one) - low) / span) : UNPRICED));
};

export class Chart {
  /** `chosen(path)` when a mark is clicked, `levelled(ms)` when the line was dragged. */
  constructor(place, { chosen, levelled }) {
    Object.assign(this, { place, chosen, levelled, points: null, extra: null, statistic: "p95_ms", level: 20, drawn: false });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  traces() {
    const { points, statistic } = this;
    const size = sizes(points.usd_per_tb);
    const kinds = [["Simulated", false, "circle"], ["Measured", true, "diamond"]];
    const made = kinds.map(([name, measured, symbol]) => {
      const at = points.path.map((_, row) => row).filter((row) =>
        points.measured[row] === measured && points.watts[row] > 0 && points[statistic][row] > 0);
      return {
        type: at.length > 500 ? "scatter" : "scatter", mode: "markers", name,
        x: at.map((row) => points.watts[row]), y: at.map((row) => points[statistic][row]),
        customdata: at.map((row) => points.path[row]),
        text: at.map((row) => this.label(row)),
        hovertemplate: "%{text}<extra></extra>",
        marker: {
          symbol, size: at.map((row) => size[row]), opacity: 0.75,
          color: at.map((row) => (points.late[row] ? "rgba(0,0,0,0)" : colours()[measured ? "measured" : "simulated"])),
          line: { width: 1.5, color: colours()[measured ? "measured" : "simulated"] },
        },
      };
    });
    if (this.extra?.watts > 0 && this.extra[statistic] > 0) {
      made.push({
        type: "scatter", mode: "markers", name: this.extra.estimate ? "What if (estimate)" : "What if",
        x: [this.extra.watts], y: [this.extra[statistic]], text: ["What if"], hovertemplate: "%{text}<extra></extra>",
        marker: { symbol: this.extra.estimate ? "star-open" : "star", size: 18, color: dark() ? "#ff9e6b" : "#c43d00", line: { width: 2 } },
      });
    }
    return made.filter((trace) => trace.x.length);
  }

  label(row) {
    const { points } = this;
    const escaped = (text) => String(text ?? "").replaceAll("<", "&lt;");
    const price = points.usd_per_tb[row];
    return [
      `<b>${escaped(points.name[row])}</b>`, escaped(points.path[row]), escaped(points.system[row]),
      `${NAMES[this.statistic]} ${points[this.statistic][row]?.toPrecision(4)} ms, ${points.watts[row]?.toPrecision(4)} W (${points.watts_of[row] ?? "drives"})`,
      price ? `$${price.toPrecision(4)} per usable TB` : "no price known",
      points.late[row] ? "does not keep up with its load" : "",
    ].filter(Boolean).join("<br>");
  }

  layout() {
    const axis = (text) => ({
      type: "log", title: { text, standoff: 8, font: { size: 12 } }, color: style("--quiet"), gridcolor: style("--grid"),
      linecolor: style("--line"), automargin: true, dtick: "D2",
    });
    return {
      xaxis: { ...axis("Mean power (W)"), exponentformat: "none" },
      yaxis: { ...axis(`${NAMES[this.statistic]} response time (ms)`), exponentformat: "none" },
      shapes: [{
        type: "line", xref: "paper", x0: 0, x1: 1, yref: "y", y0: this.level, y1: this.level,
        line: { color: dark() ? "#ffb86b" : "#b35400", width: 3, dash: "dash" },
      }],
      annotations: [{
        xref: "paper", x: 1, xanchor: "right", yref: "y", y: Math.log10(this.level), yanchor: "bottom", showarrow: false,
        text: `service level ${Number(this.level.toPrecision(3))} ms`, font: { size: 12, color: dark() ? "#ffb86b" : "#8a4b00" },
      }],
      legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", font: { size: 12 } }, showlegend: true,
      paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)", font: { family: style("--sans"), size: 12, color: style("--ink") },
      hoverlabel: { bgcolor: style("--card"), bordercolor: style("--line"), font: { color: style("--ink") }, align: "left" },
      margin: { l: 8, r: 12, t: 32, b: 8 }, dragmode: false, hovermode: "closest",
    };
  }

  async draw() {
    if (!this.points || !window.Plotly) return;
    const config = { responsive: true, displaylogo: false, displayModeBar: false, edits: { shapePosition: true } };
    await Plotly.react(this.place, this.traces(), this.layout(), config);
    document.documentElement.dataset.plots = "drawn";
    if (this.drawn) return;
    this.drawn = true;
    this.place.on("plotly_click", (event) => {
      const path = event.points[0]?.customdata;
      if (path) this.chosen(path);
    });
    this.place.on("plotly_relayout", (change) => {
      const moved = change["shapes[0].y0"] ?? change["shapes[0].y1"];
      if (moved > 0) this.levelled(moved);
    });
  }
}
