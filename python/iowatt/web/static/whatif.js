// The panel: a design with keys to turn. Each change is estimated at once and simulated after.
import { get, jobEnds, post } from "./api.js";
import { DesignList } from "./designs.js";
import { driveSelect } from "./drives.js";
import { byId, complain, debounced, fill, h, number, save, say, usd } from "./dom.js";
import { figuresGrid } from "./figures.js";

const SIMULATE_MS = 500; // without another change

export class WhatIf {
  /**
   * `changed(figures, link)` whenever there is something new to show; `figures.estimate` says which it is, `link`
   * is true when another Run answers: `this.link`, its folder.
   */
  constructor({ changed }) {
    Object.assign(this, { changed, of: null, states: [], at: -1, link: null, baseline: null, turn: 0, choices: 0, job: null, results: new Map() });
    this.simulateSoon = debounced((turn) => this.simulate(turn).catch((error) => this.refused(error, turn)), SIMULATE_MS);
    byId("undo").addEventListener("click", () => this.go(this.at - 1));
    byId("redo").addEventListener("click", () => this.go(this.at + 1));
    byId("reset").addEventListener("click", () => this.go(0));
    this.designs = new DesignList(byId("start"), { chosen: (of) => this.choose(of).catch(complain) });
    byId("knobs").addEventListener("submit", (event) => event.preventDefault());
    byId("save-toml").addEventListener("click", () => save("what-if.toml", byId("toml").textContent));
    for (const id of ["toml-box", "command-box"]) byId(id).addEventListener("toggle", () => this.text().catch(complain));
  }

  /** Begin with `of`, or what the address asks for, or a shipped design. */
  async begin(of) {
    const asked = new URLSearchParams(location.search);
    const { examples } = await get("/api/whatif/examples");
    this.designs.ship(examples);
    if (this.choices > 0) return; // somebody was faster
    const trace = asked.get("trace");
    await this.choose(asked.get("of") ?? of ?? examples[0].of, trace ? JSON.parse(trace) : null);
  }

  async choose(of, trace = null) {
    const choice = ++this.choices;
    const { title, knobs } = await get(`/api/whatif/design?${new URLSearchParams({ of })}`);
    if (choice !== this.choices) return;
    Object.assign(this, { of, title, knobs, trace, baseline: null, unchanged: null, unchanging: null, results: new Map() });
    this.states = [{ sets: {}, tariff: null, years: 5, said: trace ? `replays ${trace.path}` : "as it is" }];
    this.designs.choose(of, title);
    byId("whatif-of").textContent = of.startsWith("run:")
      ? "Change a value: you get an instant estimate, then the simulation replaces it."
      : "Each change is estimated instantly, then simulated. The unchanged design is simulated on request.";
    this.form();
    this.go(0, { simulate: trace !== null });
    if (of.startsWith("run:") && !trace) {
      const { tariff, years } = this.state;
      post("/api/whatif/priced", { path: of.slice(4), tariff, years }).then((figures) => {
        if (choice !== this.choices) return;
        this.baseline = figures;
        if (this.at === 0) this.show({ ...figures, estimate: false, link: of.slice(4) }, ++this.turn);
        else this.show(this.shown, this.turn);
      }, complain);
    }
  }

  /** The Run whose design is changed; null where it is a shipped one. */
  get run() { return this.of?.startsWith("run:") ? this.of.slice(4) : null; }

  /** Runs but for `keep` are gone: a change that one of them answered is simulated again. */
  forget(keep) {
    for (const [key, figures] of this.results) if (figures.link && !keep.includes(figures.link)) this.results.delete(key);
  }

  get state() { return this.states[this.at] ?? this.states[0]; }

  request(state = this.state) {
    return {
      of: this.of, set: Object.entries(state.sets).map(([path, value]) => `${path}=${value}`),
      trace: this.trace, tariff: state.tariff, years: state.years,
    };
  }

  form() {
    const groups = Map.groupBy ? Map.groupBy(this.knobs, (knob) => knob.group) : this.knobs.reduce((map, knob) => map.set(knob.group, [...(map.get(knob.group) ?? []), knob]), new Map());
    const knobs = this.trace ? [...groups].filter(([name]) => !name.startsWith("Load")) : [...groups];
    byId("knobs").replaceChildren(
      ...knobs.map(([name, group]) => h("fieldset", {}, h("legend", {}, name), h("div", { class: "knobs" }, group.map((knob) => this.field(knob))))),
      h("fieldset", {}, h("legend", {}, "Cost"), h("div", { class: "knobs" },
        this.cost("years", "Years", { type: "number", min: 0.5, max: 50, step: 0.5, value: "5" }),
        this.cost("price", "Power", { type: "number", min: 0, step: "any", placeholder: "default tariff" }, "$/kWh"))),
    );
  }

  field(knob) {
    const id = `knob-${knob.path.replaceAll(/[^\w]/g, "-")}`;
    const turned = () => this.turned(knob, byId(id).value.trim());
    const input = knob.kind === "drive" ? driveSelect(knob.value, { id, onchange: turned })
      : knob.kind === "choice" ? h("select", { id, onchange: turned }, knob.choices.map((one) => h("option", { value: one, selected: one === knob.value }, one)))
      : h("input", { id, type: knob.kind === "text" ? "text" : "number", min: knob.kind === "count" ? "1" : "0", step: knob.kind === "count" ? "1" : "any", value: knob.value, onchange: turned, oninput: knob.kind === "text" ? null : debounced(turned, 250) });
    return h("div", { class: knob.kind === "drive" ? "field wide" : "field" }, h("label", { for: id }, knob.unit ? `${knob.label} (${knob.unit})` : knob.label), input,
      knob.help && h("span", { class: "help" }, knob.help), h("span", { class: "error", id: `${id}-error` }));
  }

  cost(name, label, attributes, unit = "") {
    const id = `cost-${name}`;
    return h("div", { class: "field" }, h("label", { for: id }, unit ? `${label} (${unit})` : label),
      h("input", { id, ...attributes, onchange: () => this.costTurned() }));
  }

  costTurned() {
    const years = Number(byId("cost-years").value) || 5;
    const price = byId("cost-price").value.trim();
    this.push({ ...this.state, years, tariff: price === "" ? null : `flat:${price}`, said: `${years} years${price ? `, $${price}/kWh` : ""}` });
  }

  turned(knob, value) {
    if (value === "" || value === (this.state.sets[knob.path] ?? knob.value)) return;
    const sets = { ...this.state.sets, [knob.path]: value };
    if (value === knob.value) delete sets[knob.path];
    this.push({ ...this.state, sets, said: `${knob.group}: ${knob.label} ${value}` });
  }

  push(state) {
    this.states = [...this.states.slice(0, this.at + 1), state];
    this.go(this.states.length - 1);
  }

  go(at, { simulate = true } = {}) {
    if (at < 0 || at >= this.states.length) return;
    this.at = at;
    const { sets, years, tariff } = this.state;
    for (const knob of this.knobs) {
      const input = byId(`knob-${knob.path.replaceAll(/[^\w]/g, "-")}`);
      if (input && document.activeElement !== input) input.value = sets[knob.path] ?? knob.value;
      if (input) { input.removeAttribute("aria-invalid"); input.removeAttribute("aria-describedby"); byId(`${input.id}-error`).textContent = ""; }
    }
    if (byId("cost-years")) { byId("cost-years").value = years; byId("cost-price").value = tariff ? tariff.slice(5) : ""; }
    byId("undo").disabled = at === 0;
    byId("redo").disabled = at === this.states.length - 1;
    byId("reset").disabled = at === 0;
    byId("history").replaceChildren(...this.states.map((state, number) => h("li", {},
      h("button", { type: "button", "aria-current": number === at ? "step" : null, onclick: () => this.go(number) }, state.said), " ",
      h("span", { class: "quiet" }, this.summaryOf(state)))));
    const turn = ++this.turn;
    this.estimate(turn).catch((error) => this.refused(error, turn));
    if (simulate && !(at === 0 && !this.trace)) this.simulateSoon(turn);
    this.text().catch(() => {});
  }

  key(state = this.state) { return JSON.stringify(this.request(state)); }

  summaryOf(state) {
    const found = this.results.get(this.key(state));
    return found ? `${number(found.p95_ms ?? found.mean_ms)} ms, ${number(found.watts)} W, ${usd(found.usd)}` : "";
  }

  async estimate(turn) {
    const known = this.results.get(this.key());
    if (known) return this.show(known, turn);
    if (this.at === 0 && this.baseline && !this.trace) return this.show({ ...this.baseline, estimate: false, link: this.of.slice(4) }, turn);
    const state = this.state;
    const choice = this.choices;
    const asked = post("/api/whatif/estimate", this.request(state));
    this.unchanging ??= this.at ? post("/api/whatif/estimate", this.request(this.states[0])) : asked;
    const [answer, unchanged] = await Promise.all([asked, this.unchanging.catch(() => null)]);
    if (choice !== this.choices) return;
    this.unchanged = unchanged?.figures ?? null;
    if (this.results.has(this.key(state))) return; // simulated meanwhile
    const working = this.at === 0 && !this.trace ? "" : "simulating";
    this.show({ ...(answer.figures ?? {}), estimate: true, refused: answer.refused, bottleneck: answer.bottleneck, working }, turn);
  }

  async simulate(turn) {
    if (turn !== this.turn) return;
    const state = this.state;
    if (this.results.has(this.key(state))) return;
    const before = this.job;
    this.job = null;
    const job = await post("/api/whatif/simulate", this.request(state));
    if (before && before !== job.id) post(`/api/jobs/${before}/cancel`).catch(() => {});
    this.job = job.id;
    const ended = await jobEnds(job.id, (one) => { if (turn === this.turn && one.state === "running") this.progress(one); });
    if (ended.state === "failed") { if (turn === this.turn) this.refused(ended.error, turn); return; }
    if (ended.state !== "done") return;
    const figures = await post("/api/whatif/priced", { path: ended.result, tariff: state.tariff, years: state.years });
    this.results.set(this.key(state), { ...figures, estimate: false, link: ended.result });
    if (turn === this.turn) {
      this.job = null;
      this.show(this.results.get(this.key(state)), turn);
      say("Simulated.");
    }
  }

  async simulateNow() {
    this.show({ ...this.shown, working: "simulating" }, this.turn);
    await this.simulate(this.turn).catch((error) => this.refused(error, this.turn));
  }

  progress(job) {
    const mark = byId("working");
    if (mark) mark.textContent = job.fraction ? `simulating, ${Math.round(100 * job.fraction)} %` : "simulating";
  }

  refused(error, turn) {
    if (turn !== this.turn) return;
    const last = Object.keys(this.state.sets).at(-1);
    const knob = this.knobs.find((one) => error.place?.includes(one.path) || one.path === last);
    const input = knob && byId(`knob-${knob.path.replaceAll(/[^\w]/g, "-")}`);
    if (!input) return complain(error);
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", `${input.id}-error`);
    byId(`${input.id}-error`).textContent = [error.message, error.hint].filter(Boolean).join(" ");
    byId("figures").replaceChildren(h("p", { class: "quiet" }, "This design cannot be built."));
    this.changed(null);
  }

  show(figures, turn) {
    if (turn !== this.turn || !figures) return;
    this.shown = figures;
    const mark = figures.estimate ? h("span", { class: "mark estimate" }, "estimate") : h("span", { class: "mark" }, "simulated");
    fill(byId("figures"),
      h("p", { class: "row middle" }, mark, figures.working && h("span", { class: "quiet", id: "working" }, "simulating…"),
        figures.link && h("a", { href: `/result/${figures.link.split("/").map(encodeURIComponent).join("/")}` }, "Open the Run")),
      figures.refused && h("p", { class: "quiet" }, `No estimate: ${figures.refused}; simulating instead.`),
      figuresGrid(figures, this.before(figures)),
      figures.late && h("p", { class: "error" }, "The load exceeds what this system can serve."),
      figures.unpriced && h("p", { class: "quiet" }, `No dollars: ${figures.unpriced}.`),
      figures.watts_of === "drives" && h("p", { class: "quiet" }, "Power is for the drives only: the design has no power supplies or controllers."),
      figures.bottleneck && h("p", { class: "quiet" }, `Busiest: ${figures.bottleneck}.`),
      figures.estimate && !figures.working && h("div", { class: "buttons" }, h("button", { type: "button", class: "primary", id: "simulate", onclick: () => this.simulateNow() }, "Simulate")),
    );
    const another = Boolean(figures.link) && figures.link !== this.link;
    this.link = figures.link ?? this.link;
    this.changed(figures, another);
  }

  /** What the figures are compared with: an estimate with the estimate of the unchanged design, a Run with its Run. */
  before(figures) {
    if (!this.at) return null;
    const run = this.baseline ?? this.results.get(this.key(this.states[0]));
    const simulated = run && { ...run, estimate: false };
    const estimated = this.unchanged && { ...this.unchanged, estimate: true };
    return (figures.estimate ? estimated ?? simulated : simulated ?? estimated) ?? null;
  }

  async text() {
    if (!byId("toml-box").open && !byId("command-box").open) return;
    const found = await post("/api/whatif/text", this.request());
    byId("toml").textContent = found.toml;
    byId("command").textContent = found.command;
  }
}
