// Files of the reader: uploaded, described, replayed on a design or kept as a Run.
import { get, jobEnds, post } from "./api.js";
import { byId, complain, h, number, say } from "./dom.js";
import { sendFile } from "./uploading.js";

const drop = byId("drop");

const add = async (file) => {
  try {
    const { job } = await sendFile(file);
    history.replaceState(null, "", `/traces?job=${job.id}`);
    await follow(job.id);
  } catch (error) {
    complain(error);
  }
};

const follow = async (id) => {
  const line = h("p", { class: "quiet" }, "Describing…");
  byId("uploads").replaceChildren(line);
  const ended = await jobEnds(id, (job) => { line.textContent = `${job.title}: ${job.text || job.state}`; });
  line.remove();
  if (ended.state === "done") show(await get(`/api/described/${id}`), ended);
  else byId("described").replaceChildren(h("div", { class: "panel" }, h("h2", {}, ended.title), h("p", { class: "error" }, ended.error ? [ended.error.message, ended.error.hint].filter(Boolean).join(" ") : ended.state)));
};

const pairs = (rows) => h("dl", { class: "pairs" }, rows.filter(([, value]) => value !== null && value !== undefined).map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))));

const show = (found) => {
  const name = found.path.split("/").at(-1);
  const trace = found.trace;
  const rows = trace ? [
    ["Format", trace.format], ["Requests", trace.requests.count.toLocaleString("en-US")], ["Reads", `${number(100 * trace.requests.read_share)} %`],
    ["Lasts", trace.untimed ? null : `${number(trace.span.duration_s)} s`], ["Rate", trace.untimed ? null : `${number(trace.rate.iops)} requests/s`],
    ["Reaches", `${number(trace.max_offset_bytes / 1e9)} GB`],
    ["Size", `${found.bytes.toLocaleString("en-US")} bytes`],
  ] : found.runs.flatMap((run) => [[run.name, `${run.tool} ${run.version}, ${number(run.iops)} IOPS for ${number(run.duration_s)} s, ${run.requests.toLocaleString("en-US")} requests`]]);
  byId("described").replaceChildren(h("div", { class: "panel" },
    h("h2", {}, name), h("p", { class: "quiet" }, trace ? `A block trace (${trace.format ?? found.what}).` : `The output of ${found.what}.`),
    pairs(rows),
    h("div", { class: "buttons" }, trace
      ? h("button", { type: "button", class: "primary", onclick: () => { location.href = `/?${new URLSearchParams({ trace: JSON.stringify(found.workload_trace), ...design() })}`; } }, "Replay it on a design")
      : h("button", { type: "button", class: "primary", onclick: () => keep(found) }, "Keep it as a Run"))));
  byId("described").querySelector("button").focus();
};

const design = () => { const of = new URLSearchParams(location.search).get("of"); return of ? { of } : {}; };

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

byId("file").addEventListener("change", (event) => { if (event.target.files.length) add(event.target.files[0]); });
for (const type of ["dragenter", "dragover"]) document.addEventListener(type, (event) => { event.preventDefault(); drop.classList.add("dropping"); });
document.addEventListener("dragleave", () => drop.classList.remove("dropping"));
document.addEventListener("drop", (event) => {
  event.preventDefault();
  drop.classList.remove("dropping");
  if (event.dataTransfer.files.length) add(event.dataTransfer.files[0]);
});
const asked = new URLSearchParams(location.search).get("job");
if (asked) follow(asked).catch(complain);
