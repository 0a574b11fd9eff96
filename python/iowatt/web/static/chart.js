// The chart of all Runs: response time against power, with the service level as a line to drag.
import { marks, range } from "./axis.js";
import { debounced } from "./dom.js";
import { names, placed } from "./labels.js";

const NAMES = { p95_ms: "p95", p99_ms: "p99", mean_ms: "Mean" };
const SMALLEST = 7;
const LARGEST = 34;
const UNPRICED = 9;
const BEYOND = 12; // px of the mark of an overload above the scale
const MOST_NAMES = 12;
const MARGIN = { l: 60, r: 14, t: 34, b: 46 };

const style = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dark = () => window.matchMedia("(prefers-color-scheme: dark)").matches;
const colours = () => (dark() ? { simulated: "#56b4e9", measured: "#f0c648" } : { simulated: "#0072b2", measured: "#b35400" });

const escaped = (text) => String(text ?? "").replaceAll("<", "&lt;");

/** Areas in proportion to dollars per usable TB, between limits; on a log scale, since prices span decades. */
const sizes = (prices) => {
  const known = prices.filter((one) => one > 0).map(Math.log);
  const low = Math.min(...known);
  const span = Math.max(...known) - low || 1;
  return prices.map((one) => (one > 0 ? SMALLEST + (LARGEST - SMALLEST) * ((Math.log(one) - low) / span) : UNPRICED));
};

export class Chart {
  /** `shows(path)` says which Runs it has; `chosen(path)` when a mark is clicked, `levelled(ms)` when the line was dragged. */
  constructor(place, { shows, chosen, levelled }) {
    Object.assign(this, { place, shows, chosen, levelled, points: null, extra: null, statistic: "p95_ms", level: 20, drawn: false });
    window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
    window.addEventListener("resize", debounced(() => this.draw(), 200));
  }

  /** The Runs that the chart shows: those with a response time, and with power. */
  rows() {
    const { points, statistic } = this;
    return points.path.map((_, row) => row).filter((row) => points.watts[row] > 0 && points[statistic][row] > 0 && this.shows(points.path[row]));
  }

  /** The ranges of the axes. Overload has no response time of its own: it stretches no axis while something keeps up. */
  scale() {
    const { points, statistic, extra } = this;
    const rows = this.rows();
    const steady = rows.filter((row) => !points.late[row]);
    const counted = steady.length ? steady : rows;
    const star = extra?.watts > 0 && extra[statistic] > 0 ? [extra] : [];
    return {
      x: range([...rows.map((row) => points.watts[row]), ...star.map((one) => one.watts)]),
      y: range([...counted.map((row) => points[statistic][row]), this.level, ...star.filter((one) => !one.late).map((one) => one[statistic])]),
    };
  }

  traces({ x, y }) {
    const { points, statistic, extra } = this;
    const size = sizes(points.usd_per_tb);
    const edge = 10 ** (y[1] - 0.03 * (y[1] - y[0]));
    const above = (row) => points[statistic][row] > 10 ** y[1];
    const rows = this.rows();
    const texts = rows.length <= MOST_NAMES ? this.names(rows, size, { x, y }, edge) : new Map();
    const made = [["Simulated", false, "circle"], ["Measured", true, "diamond"]].map(([name, measured, symbol]) =>
      this.marks(name, rows.filter((row) => points.measured[row] === measured && !above(row)), texts, {
        size: (row) => size[row], symbol, colour: colours()[measured ? "measured" : "simulated"],
      }));
    const off = rows.filter(above);
    made.push(this.marks(`Overloaded, above the scale: ${off.length}`, off, texts, {
      size: () => BEYOND, symbol: "triangle-up", colour: style("--quiet"), y: () => edge,
    }));
    if (extra?.watts > 0 && extra[statistic] > 0) {
      const beyond = extra[statistic] > 10 ** y[1];
      made.push({
        type: "scatter", mode: "markers", name: extra.estimate ? "What if (estimate)" : "What if",
        x: [extra.watts], y: [beyond ? edge : extra[statistic]], text: ["What if"], hovertemplate: "%{text}<extra></extra>", cliponaxis: false,
        marker: {
          symbol: beyond ? "triangle-up-open" : extra.estimate ? "star-open" : "star", size: 18,
          color: dark() ? "#ff9e6b" : "#c43d00", line: { width: 2 },
        },
      });
    }
    return made.filter((trace) => trace.x.length);
  }

  /** One kind of marks; `texts` has the names beside them. */
  marks(name, rows, texts, { size, symbol, colour, y = (row) => this.points[this.statistic][row] }) {
    const { points } = this;
    return {
      type: "scatter", mode: texts.size ? "markers+text" : "markers", name,
      x: rows.map((row) => points.watts[row]), y: rows.map(y),
      customdata: rows.map((row) => points.path[row]),
      text: rows.map((row) => texts.get(row)?.text ?? ""), textposition: rows.map((row) => texts.get(row)?.side ?? "middle right"),
      textfont: { size: 11, color: style("--quiet") }, cliponaxis: false,
      hovertext: rows.map((row) => this.label(row)), hovertemplate: "%{hovertext}<extra></extra>",
      marker: {
        symbol, size: rows.map(size), opacity: 0.75,
        color: rows.map((row) => (points.late[row] ? "rgba(0,0,0,0)" : colour)), line: { width: 1.5, color: colour },
      },
    };
  }

  /** The name beside each mark, where it has room. */
  names(rows, size, { x, y }, edge) {
    const { points, statistic, extra } = this;
    const width = this.place.clientWidth - MARGIN.l - MARGIN.r;
    const height = this.place.clientHeight - MARGIN.t - MARGIN.b;
    const px = (value, [low, high], long) => ((Math.log10(value) - low) / (high - low)) * long;
    const at = (watts, ms, big) => ({ x: px(watts, x, width), y: height - px(Math.min(ms, edge), y, height), size: big });
    const said = names(rows, points);
    const line = height - px(this.level, y, height);
    const taken = [[0, line - 18, width, line + 2]]; // the service level and what it says
    const starred = extra?.watts > 0 && extra[statistic] > 0;
    const own = starred ? rows.find((row) => points.path[row] === extra.link) : undefined; // the star lies on its mark
    if (starred && own === undefined) {
      const star = at(extra.watts, extra[statistic], 18);
      taken.push([star.x - 9, star.y - 9, star.x + 9, star.y + 9]);
    }
    const found = placed(rows.map((row) => ({ ...at(points.watts[row], points[statistic][row], row === own ? Math.max(size[row], 18) : size[row]), name: said.get(row) })), { width, height, taken });
    // Plotly sets a name beside the mark, which the star covers.
    const room = (row, text) => (row === own && text ? `\u00a0\u00a0${text}\u00a0\u00a0` : text);
    return new Map(rows.map((row, number) => [row, { ...found[number], text: room(row, escaped(found[number].text)) }]));
  }

  label(row) {
    const { points } = this;
    const price = points.usd_per_tb[row];
    return [
      `<b>${escaped(points.name[row])}</b>`, escaped(points.path[row]), escaped(points.system[row]),
      `${NAMES[this.statistic]} ${points[this.statistic][row]?.toPrecision(4)} ms, ${points.watts[row]?.toPrecision(4)} W (${points.watts_of[row] ?? "drives"})`,
      price ? `$${price.toPrecision(4)} per usable TB` : "no price known",
      points.late[row] ? "does not keep up with its load" : "",
    ].filter(Boolean).join("<br>");
  }

  layout(scale) {
    const axis = (text, span) => ({
      type: "log", range: span, ...marks(span), title: { text, standoff: 8, font: { size: 12 } }, color: style("--quiet"),
      gridcolor: style("--grid"), linecolor: style("--line"),
    });
    return {
      xaxis: axis("Mean power (W)", scale.x),
      yaxis: axis(`${NAMES[this.statistic]} response time (ms)`, scale.y),
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
      margin: MARGIN, dragmode: false, hovermode: "closest",
    };
  }

  async draw() {
    if (!this.points || !window.Plotly) return;
    const config = { responsive: true, displaylogo: false, displayModeBar: false, edits: { shapePosition: true } };
    const scale = this.scale();
    await Plotly.react(this.place, this.traces(scale), this.layout(scale), config);
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
