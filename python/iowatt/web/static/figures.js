// The figures of a changed design beside those of the unchanged one.
import { h, number, usd } from "./dom.js";

const ROWS = [
  ["mean_ms", "Mean response time", (value) => `${number(value)} ms`], ["p95_ms", "p95", (value) => `${number(value)} ms`],
  ["watts", "Power", (value) => `${number(value)} W`], ["usd", "Dollars", usd], ["usd_per_tb", "Dollars per usable TB", usd],
  ["usable_tb", "Usable capacity", (value) => `${number(value)} TB`],
];
const LESS_IS_BETTER = new Set(["mean_ms", "p95_ms", "watts", "usd", "usd_per_tb"]);
const SAME = 0.005;

const known = (value) => value !== null && value !== undefined;

/** Better or worse than before; nothing between an estimate and a simulation, which differ by themselves. */
const verdict = (key, figures, before) => {
  const was = before?.[key];
  if (!was || !figures[key] || !LESS_IS_BETTER.has(key) || before.estimate !== figures.estimate || Math.abs(figures[key] / was - 1) < SAME) return "";
  return figures[key] < was ? "better" : "worse";
};

/** A grid of figures now and before; `before` is null where there is nothing to compare with. */
export const figuresGrid = (figures, before) => {
  const text = (key, print) => (known(figures[key]) ? print(figures[key]) : figures.estimate ? "simulation only" : "–");
  const head = (title, kind = null) => h("span", { class: "head", "data-before": kind }, title);
  const rows = ROWS.filter(([key]) => known(figures[key]) || key === "p95_ms");
  return h("div", { class: "figures-now" }, head(""), head("now"),
    before ? head(before.estimate ? "estimate before" : "simulated before", before.estimate ? "estimate" : "simulated") : head(""),
    rows.map(([key, title, print]) => [
      h("span", {}, title), h("span", { class: `now ${verdict(key, figures, before)}` }, text(key, print)),
      h("span", { class: "was", "data-figure": key }, known(before?.[key]) ? print(before[key]) : ""),
    ]));
};
