// What an uploaded file is: a trace to replay, a measurement to keep, or a file that needs a word on how it is read.
import { get, jobEnds, post, remove } from "./api.js";
import { confirmed, byId, complain, h, number, say } from "./dom.js";
import { readingForm } from "./reading.js";

const pairs = (rows) => h("dl", { class: "pairs" }, rows.filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));

const panel = (...children) => byId("described").replaceChildren(h("div", { class: "panel" }, children.flat(Infinity).filter(Boolean)));

const isUpload = (path) => path.startsWith("traces/");
const preview = (path) => isUpload(path) ? get(`/api/uploads/${encodeURIComponent(path.slice(7))}`).catch(() => null) : null;

/** A file that was described. `again(keys)` describes it once more, read by them. */
export const showDescribed = async (found, given, again) => {
  const { trace } = found;
  const rows = trace ? [
    ["Format", trace.format], ["Requests", trace.requests.count.toLocaleString("en-US")], ["Reads", `${number(100 * trace.requests.read_share)} %`],
    ["Lasts", trace.untimed ? null : `${number(trace.span.duration_s)} s`], ["Rate", trace.untimed ? null : `${number(trace.rate.iops)} requests/s`],
    ["Reaches", `${number(trace.max_offset_bytes / 1e9)} GB`],
    ["Size", `${found.bytes.toLocaleString("en-US")} bytes`],
  ] : found.runs.map((run) => [run.name, `${run.tool} ${run.version}, ${number(run.iops)} IOPS for ${number(run.duration_s)} s, ${run.requests.toLocaleString("en-US")} requests`]);
  const untimed = Boolean(trace?.untimed);
  const several = found.runs.length > 1;
  const text = await preview(found.path);
  const deletes = text && deleteButton(found.path);
  if (!text && isUpload(found.path)) return panel(h("h2", {}, found.path.split("/").at(-1)), h("p", {}, h("code", {}, found.path), " no longer exists. Add it again."));
  panel(
    h("h2", {}, found.path.split("/").at(-1)), h("p", { class: "quiet" }, trace ? `A block trace (${trace.format ?? found.what}).` : `The output of ${found.what}.`),
    pairs(rows),
    trace ? await replay(found, deletes) : h("div", { class: "buttons" }, h("button", { type: "button", class: "primary", id: "keep", onclick: () => keep(found) }, several ? `Save as ${found.runs.length} Runs` : "Save as a Run"), deletes),
    untimed && h("p", { class: "quiet" }, "The trace has no times: enter its rate and read it again."),
    trace && text && h("details", { class: "inner", open: untimed }, h("summary", {}, "Change how it is read"), readingForm(text, { given: given ?? keysOf(found), read: again })));
  byId("described").querySelector("button.primary").focus();
};

/** A file that could not be described: why, and fields for what its reader must say. */
export const showFailed = async (job, path, given, again) => {
  const text = path && await preview(path);
  const { error } = job;
  panel(
    h("h2", {}, job.title),
    h("p", { class: "error" }, error ? said(error) : job.state),
    text && (text.lines.length > 0 || path.includes(".parquet")) && h("p", {}, "If it is a trace, enter how to read it. The keys are those of ", h("code", {}, "trace"), " in a scenario."),
    text && readingForm(text, { given, error, read: again, buttons: [deleteButton(path)] }));
  for (const first of ["[aria-invalid]", "[aria-required]", "select"]) {
    const one = byId("described").querySelector(first);
    if (one) return one.focus();
  }
};

// The form has the formats, which the message lists.
const said = ({ code, message, hint }) => code === "wrong-format" ? `${message.split("; ")[0]}.` : [message, hint].filter(Boolean).join(". ");

const deleteButton = (path) =>
  confirmed(h("button", { type: "button", id: "delete" }, "Delete file"), () => `Permanently delete ${path}?`, async () => {
    await remove(`/api/uploads/${encodeURIComponent(path.slice(7))}`);
    history.replaceState(null, "", "/traces");
    byId("described").replaceChildren();
    byId("file").value = "";
    byId("file").focus();
    say(`${path} deleted.`);
  });

const keysOf = ({ workload_trace: { path, place, ...keys } }) => keys;

const replay = async (found, deletes) => {
  const select = h("select", { id: "design" }, await designs());
  const go = () => { location.href = `/?${new URLSearchParams({ trace: JSON.stringify(found.workload_trace), of: select.value })}`; };
  return [
    h("div", { class: "field" }, h("label", { for: "design" }, "Design"), select, h("span", { class: "help" }, "The trace replaces its workload.")),
    h("div", { class: "buttons" }, h("button", { type: "button", class: "primary", id: "replay", onclick: go }, "Replay on this design"), deletes),
  ];
};

// Shipped designs and the simulated Runs of the workspace, newest first; the one that the address names is chosen.
const designs = async () => {
  const [{ examples }, { results }] = await Promise.all([get("/api/whatif/examples"), get("/api/results?kind=run&limit=500")]);
  const asked = new URLSearchParams(location.search).get("of");
  const option = (of, title) => h("option", { value: of, selected: of === asked }, title);
  const runs = results.filter((run) => !run.measured).map((run) => option(`run:${run.path}`, `${run.name} (${run.path})${run.late ? ", overloaded" : ""}`));
  const known = [...examples.map(({ of }) => of), ...results.map((run) => `run:${run.path}`)];
  return [
    asked && !known.includes(asked) && option(asked, asked.replace(/^\w+:/, "")),
    h("optgroup", { label: "Shipped designs" }, examples.map(({ of, title }) => option(of, title))),
    runs.length > 0 && h("optgroup", { label: "Runs of this workspace" }, runs),
  ];
};

const keep = async (found) => {
  try {
    const job = await post("/api/jobs", { kind: "import", title: `Import ${found.path}`, request: { path: found.path } });
    const ended = await jobEnds(job.id, (one) => say(`${one.title}: ${one.text || one.state}`));
    if (ended.state === "done") location.href = `/result/${ended.result}`;
    else complain(ended.error ?? { message: ended.state });
  } catch (error) {
    complain(error);
  }
};
