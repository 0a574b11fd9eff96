// What to buy: a question as a form, the job that answers it, and what the answer says first.

import { get, jobEnds, post } from "./api.js";
import { byId, complain, h, save } from "./dom.js";
import { TomlForm, copyButton, tool } from "./form.js";

// What the form begins with where it begins with no file.
const PLAIN = {
  schema: "iowatt.question/1", name: "question", usable: "100TB",
  workload: [{ name: "load", profile: { name: "skew", rate_iops: 1000 }, p95: "5ms" }],
};
const LIMITS = [["p50", "Median"], ["p95", "95th percentile"], ["p99", "99th percentile"], ["mean", "Mean"]];
const FOOTPRINTS = [["clones", "clones: similar tenants, each with its own data"], ["stretch", "stretch: the trace's data spread over the capacity"], ["profile", "profile: a similar synthetic load over the capacity"]];

let offers = null;
let keys = new Map();

const key = (path) => keys.get(path.filter((step) => typeof step !== "number").join("."));
const first = (text) => text.split(/(?<=\.) /)[0];

/** Help of a key by its own words: the first sentence and its default; the rest on request. */
const told = (path) => {
  const known = key(path);
  if (known === undefined) return {};
  const fallback = known.default.replace(/(\d)\.0\b/g, "$1").replaceAll('"', "");
  const left = fallback.startsWith("if omitted: ") ? ` Default: ${fallback.slice(12)}.` : known.required ? "" : ` Default: ${fallback}.`;
  const short = first(known.meaning);
  return {
    help: `${short}${left}`,
    more: short === known.meaning ? "" : known.meaning.slice(short.length).trim(),
    example: known.example && known.example.length < 30 && !known.example.startsWith("[") && !known.example.startsWith("{") ? known.example : "",
  };
};

const text = (form, path, label, unit = "", more = {}) => form.field({ path, label, unit, ...told(path), ...more });
const number = (form, path, label, unit = key(path)?.unit ?? "", more = {}) => text(form, path, label, unit, { kind: "number", ...more });
const panel = (title, ...children) => {
  const id = `part-${title.toLowerCase().replace(/\W+/g, "-")}`;
  return h("section", { class: "panel", "aria-labelledby": id }, h("h2", { id }, title), ...children);
};

const build = (form) => [
  panel("Capacity",
    h("div", { class: "grid2" },
      text(form, ["name"], "Name"),
      text(form, ["usable"], "Usable capacity", "TB", { bare: "TB" }),
      number(form, ["growth"], "Data growth", "per year; 0.2 is 20 %"),
      number(form, ["years"], "Service life", "years"))),
  panel("Workloads",
    h("p", { class: "quiet" }, "Workloads that share the storage, and their response-time limits."),
    ...(form.get("workload") ?? []).map((one, index) => workload(form, index)),
    h("div", { class: "buttons" }, tool("Add a workload", () => form.reshape((tree) => {
      tree.workload = [...(tree.workload ?? []), { name: freeName(tree.workload ?? []), profile: { name: "uniform", rate_iops: 1000 }, p95: "10ms" }];
    }, `workload.${(form.get("workload") ?? []).length}.name`)))),
  panel("Durability", number(form, ["durability", "loss_per_year"], "Probability of data loss", "per year, at most")),
  panel("Electricity",
    h("div", { class: "grid2" },
      number(form, ["energy", "usd_per_kwh"], "Price", "USD/kWh"),
      text(form, ["energy", "tariff"], "or a tariff", "", { kind: "select", options: offers.tariffs.map((one) => [one.name, one.title]), empty: "none: the price above, or the price book's" }),
      text(form, ["energy", "region"], "Region, for carbon", "", { kind: "select", options: offers.regions.map((one) => [one, one]), empty: "the tariff's" }))),
  panel("Limits",
    h("div", { class: "grid3" },
      text(form, ["limits", "watts"], "Mean power", "W", { bare: "W" }),
      number(form, ["limits", "rack_units"], "Rack space", "rack units (U)"),
      number(form, ["limits", "budget"], "Purchase price", "USD")),
    form.boxes({ path: ["limits", "vendors"], label: "Drive vendors", options: offers.vendors.map((one) => [one, one]), help: `All checked: any vendor. The families try one drive of each kind and capacity, from these vendors. To include library drives of ${offers.other_vendors.slice(0, 4).join(", ")} and others, define a family of your own (family, in the TOML).` })),
  panel("Systems to consider",
    form.boxes({
      path: ["families"], label: "Families", help: "Fewer families make the search faster; more make the answer more reliable.",
      options: [...offers.families.map((one) => [one.name, one.title]), ...(form.get("family") ?? []).map((one) => [one.name, `${one.name} (yours)`])],
    })),
  h("details", { class: "panel", "data-key": "more" }, h("summary", {}, "More"),
    h("div", { class: "grid2" },
      number(form, ["load_growth"], "Load growth", "per year"),
      text(form, ["chassis"], "Chassis", "", { kind: "select", options: [["array", "array: dual controllers, shelves"], ["nas", "nas: single box, single controller"]], empty: "array (default)" }),
      number(form, ["durability", "unavailable_hours"], "Downtime", "hours per year, at most"),
      number(form, ["energy", "pue"], "Site PUE"),
      text(form, ["limits", "form_factors"], "Drive form factors", "inches, comma-separated", { kind: "list", example: "2.5, 3.5" }),
      number(form, ["requests"], "Simulation length", "requests"),
      number(form, ["seed"], "Random seed"),
      text(form, ["assume"], "Price-book assumptions", "comma-separated", { kind: "list", example: "discount.rate=0.06" })),
    h("p", { class: "quiet" }, "To add your own systems (own), negotiated prices (prices) or families of chosen drives (family), edit the TOML; the form keeps them.")),
];

const freeName = (loads) => {
  let index = loads.length + 1;
  while (loads.some((one) => one.name === `load${index}`)) index += 1;
  return `load${index}`;
};

const workload = (form, index) => {
  const path = ["workload", index];
  const one = form.get(...path);
  const recorded = one.trace !== undefined;
  const swap = (trace) => form.reshape((tree) => {
    const load = tree.workload[index];
    if (trace) {
      delete load.profile;
      load.trace = { path: offers.traces[0]?.path ?? "traces/trace.csv" };
    } else {
      delete load.trace;
      delete load.footprint;
      load.profile = { name: "uniform", rate_iops: 1000 };
    }
  }, `workload.${index}.source`);
  const radio = (trace, label) => h("label", { class: "box" }, h("input", { type: "radio", name: `source-${index}`, checked: recorded === trace, onchange: () => swap(trace) }), ` ${label}`);
  const traces = (shipped) => ({ title: shipped ? "Examples" : "This workspace", options: offers.traces.filter((each) => each.shipped === shipped).map((each) => [each.path, each.name]) });
  const profile = offers.profiles.find((each) => each.name === one.profile?.name);
  const rate = profile === undefined ? {} : profile.rate_iops === null
    ? { help: "This profile has no default rate." } : { help: `Default: the profile's rate, ${Number(profile.rate_iops.toPrecision(4)).toLocaleString("en-US")}.` };
  return form.table({ path, label: `Workload: ${one.name ?? index + 1}` },
    h("div", { class: "grid2" },
      text(form, [...path, "name"], "Name"),
      h("fieldset", { class: "boxes", "data-place": `workload.${index}.source` }, h("legend", {}, "Source"), radio(true, "recorded trace"), radio(false, "synthetic profile"))),
    recorded
      ? h("div", { class: "grid2" },
        text(form, [...path, "trace", "path"], "Trace", "", { kind: "select", options: [traces(false), traces(true)].filter((each) => each.options.length > 0), help: "A file in traces/ of the workspace; add files on the Traces page.", more: "" }),
        text(form, [...path, "footprint"], "Scale the trace as", "", { kind: "select", options: FOOTPRINTS, empty: "clones (default)" }))
      : h("div", { class: "grid2" },
        text(form, [...path, "profile", "name"], "Profile", "", {
          kind: "select", options: offers.profiles.map((each) => [each.name, `${each.name}: ${each.title}`]), help: "A synthetic load over the full capacity.", more: "",
          choose: (value) => form.reshape((tree) => { tree.workload[index].profile = { ...tree.workload[index].profile, name: value }; delete tree.workload[index].profile.set; }),
        }),
        number(form, [...path, "profile", "rate_iops"], "Rate", "requests/s", { ...rate, more: "" })),
    h("div", { class: "grid2" },
      number(form, [...path, "times"], "Load multiplier", "× rate"),
      text(form, [...path, "capacity"], "Capacity used", "TB", { bare: "TB" })),
    h("fieldset", { class: "boxes" }, h("legend", {}, "Response-time limits (at least one)"),
      h("div", { class: "grid3" }, LIMITS.map(([name, label]) => form.field({ path: [...path, name], label, unit: "ms", bare: "ms", example: key([...path, name])?.example ?? "" })))),
    recorded ? null : h("details", { class: "inner", "data-key": `set-${index}` }, h("summary", {}, "Override profile keys"),
      text(form, [...path, "profile", "set"], "Overrides", "PATH=VALUE, one per line", { kind: "lines", more: "" })),
    (form.get("workload").length > 1)
      ? h("div", { class: "buttons" }, tool(`Remove ${one.name ?? "it"}`, () => form.reshape((tree) => tree.workload.splice(index, 1), `workload.${Math.max(0, index - 1)}.name`)))
      : null);
};

const answered = (made) => {
  byId("summary").replaceChildren(...made.summary.map((line) => h("li", {}, line)));
  const count = byId("count");
  count.hidden = made.errors.length === 0;
  count.textContent = made.errors.length === 1 ? "Fix this error first:" : `Fix these ${made.errors.length} errors first:`;
  byId("find").disabled = made.errors.length > 0 || running !== null;
};

const form = new TomlForm({ address: "/api/choose/question", root: byId("form"), text: byId("text"), problems: byId("problems"), build, answered });

// The job

let running = null;

// The share of the whole search as this page first saw it. How many steps there will be is not known, so the time is rough.
let begun = null;

const left = (job) => {
  begun ??= { since: Date.now(), from: job.fraction };
  const done = job.fraction - begun.from;
  const passed = (Date.now() - begun.since) / 1000;
  if (job.fraction >= 0.99) return ", almost done";
  if (passed < 10 || done < 0.05) return "";
  const seconds = (passed / done) * (1 - job.fraction);
  return `, about ${seconds < 90 ? `${Math.max(5, 5 * Math.round(seconds / 5))} s` : `${Math.round(seconds / 60)} min`} left`;
};

const changed = (job) => {
  const progress = byId("job-progress");
  if (job.fraction === null) progress.removeAttribute("value");
  else progress.value = job.fraction;
  byId("job-text").textContent = job.state === "queued"
    ? "Waiting for other jobs"
    : job.fraction === null ? job.text || "Starting" : `${Math.floor(100 * job.fraction)} %: ${job.text}${left(job)}`;
};

const follow = async (id) => {
  running = id;
  byId("find").disabled = true;
  byId("cancel").disabled = false;
  byId("job").hidden = false;
  byId("answer").replaceChildren();
  begun = null;
  const job = await jobEnds(id, changed);
  running = null;
  byId("job").hidden = true;
  byId("find").disabled = form.errors.length > 0;
  await ended(job);
};

const ended = async (job) => {
  const place = byId("answer");
  if (job.state === "cancelled") {
    place.replaceChildren(h("p", {}, "The search was cancelled."));
  } else if (job.state === "failed") {
    const { message, hint } = job.error ?? { message: "The search failed." };
    place.replaceChildren(h("p", { class: "verdict-line" }, "No answer."), h("p", {}, message), hint ? h("p", { class: "quiet" }, hint) : null);
  } else {
    const found = await get(`/api/choose/answers/${job.id}`);
    const [verdict, ...rest] = found.verdict;
    place.replaceChildren(
      h("p", { class: "verdict-line" }, verdict), ...rest.slice(0, 3).map((line) => h("p", {}, line)),
      h("p", {}, h("a", { class: "button", href: found.page }, "Open the full answer")));
  }
};

byId("find").addEventListener("click", async () => {
  byId("find").disabled = true;
  try {
    await form.settled();
    if (form.errors.length > 0) {
      byId("problems").querySelector("button")?.focus();
      return;
    }
    const job = await post("/api/choose", { toml: form.text.value, base: form.base, key: crypto.randomUUID?.() ?? null });
    history.replaceState(null, "", `?job=${job.id}`);
    await follow(job.id);
  } catch (error) {
    byId("find").disabled = false;
    complain(error);
  }
});
byId("cancel").addEventListener("click", async () => {
  byId("cancel").disabled = true;
  if (running !== null) await post(`/api/jobs/${running}/cancel`).catch(complain);
});
byId("form").addEventListener("submit", (event) => event.preventDefault());
byId("text-tools").append(
  tool("Save question.toml", () => save("question.toml", form.text.value, "application/toml")), copyButton("Copy", () => form.text.value));

// What to start from

const offer = async (base) => {
  offers = await get(`/api/choose/form?base=${encodeURIComponent(base)}`);
  keys = new Map(offers.keys.map((one) => [one.path, one]));
};

const PLAIN_BASE = "example:questions";  // from there a question reaches the examples' traces and the workspace's

const begin = async (id, files) => {
  const file = files.find((one) => one.id === id);
  byId("start-says").textContent = file?.title ?? "One synthetic workload, as a starting point.";
  const base = file?.base ?? PLAIN_BASE;
  const [made] = await Promise.all([
    file ? get(`/api/choose/start?file=${encodeURIComponent(id)}`) : post("/api/choose/question", { fields: PLAIN, base }), offer(base)]);
  form.begin(made, base);
};

const open = async () => {
  const { files } = await get("/api/choose/questions");
  const shipped = files.filter((one) => one.id.startsWith("example:"));
  const own = files.filter((one) => !one.id.startsWith("example:"));
  const option = (one) => h("option", { value: one.id }, one.id.startsWith("example:") ? one.name : one.id);
  byId("start").append(
    ...(own.length ? [h("optgroup", { label: "Questions of this workspace" }, own.map(option))] : []),
    h("optgroup", { label: "Examples" }, shipped.map(option)), h("option", { value: "" }, "A plain load: 100 TB, 1,000 requests/s, p95 5 ms"));
  byId("start").addEventListener("change", (event) => begin(event.target.value, files).catch(complain));
  const id = new URLSearchParams(location.search).get("job");
  if (id !== null && /^[0-9a-f]{16}$/.test(id)) {
    const job = await get(`/api/jobs/${id}`);
    const { question, base } = job.request;
    await offer(base);
    form.begin(await post("/api/choose/question", { toml: question, base }), base);
    byId("start").prepend(h("option", { value: "-", selected: true, disabled: true }, "The question of this search"));
    if (["queued", "running"].includes(job.state)) await follow(id);
    else await ended(job);
    return;
  }
  const wanted = files.find((one) => one.name === "architect") ?? files[0];
  byId("start").value = wanted?.id ?? "";
  await begin(wanted?.id ?? "", files);
};

open().catch(complain);
