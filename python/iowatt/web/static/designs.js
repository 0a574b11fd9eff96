// The list of designs to begin with: Runs of the workspace, newest first, and shipped designs.
import { get } from "./api.js";
import { h } from "./dom.js";

const MOST_RUNS = 100;

export class DesignList {
  /** `chosen(of)` when somebody chooses. */
  constructor(place, { chosen }) {
    Object.assign(this, { place, runs: [], shipped: [], of: null, title: "" });
    place.addEventListener("change", () => chosen(place.value));
  }

  ship(examples) {
    this.shipped = examples;
    this.show();
  }

  /** Read the Runs again: the catalogue has changed. */
  async update() {
    const query = new URLSearchParams({ kind: "run", sort: "at", limit: MOST_RUNS, what_if: false });
    const { results } = await get(`/api/results?${query}`);
    // A measured Run has no design that could be changed.
    this.runs = results.filter((row) => !row.measured).map(({ path, name }) => ({ of: `run:${path}`, title: name === path.split("/").at(-1) ? name : `${name} (${path})` }));
    this.show();
  }

  choose(of, title) {
    Object.assign(this, { of, title });
    this.show();
  }

  show() {
    const known = [...this.runs, ...this.shipped].some((one) => one.of === this.of);
    const place = this.of?.replace(/^\w+:/, "");
    const other = known || !this.of ? [] : [{ of: this.of, title: `${this.title} (${place})` }];
    const group = (label, designs) => designs.length > 0 && h("optgroup", { label }, designs.map(({ of, title }) => h("option", { value: of }, title)));
    this.place.replaceChildren(...[group("Runs", [...other, ...this.runs]), group("Shipped designs", this.shipped)].filter(Boolean));
    if (this.of) this.place.value = this.of;
  }
}
