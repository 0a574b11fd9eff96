// All jobs, as they change.
import { get, onJob, post, latest } from "./api.js";
import { byId, complain, h } from "./dom.js";

const body = byId("jobs").tBodies[0];
const known = new Map();

const address = (job) => job.kind === "describe" ? `/traces?job=${job.id}` : job.kind === "choose" && job.state !== "done" ? `/choose?job=${job.id}` : `/result/${job.result}`;
const rowOf = (job) => {
  const ended = ["done", "failed", "cancelled"].includes(job.state);
  const said = job.error ? [job.error.place, job.error.message].filter(Boolean).join(": ") : job.text;
  const progress = job.state === "running"
    ? [h("progress", { max: "1", ...(job.fraction === null ? {} : { value: String(job.fraction) }), "aria-label": `Progress of ${job.title}` }), h("span", { class: "quiet" }, job.text)]
    : said && h("span", { class: "quiet two-lines", title: said }, said);
  const opens = job.state === "done" || (job.state === "failed" && job.kind === "describe");
  return h("tr", { id: `job-${job.id}` },
    h("th", { scope: "row" }, job.title, " ", h("span", { class: "quiet" }, job.kind)), h("td", { "data-title": "State" }, h("span", { class: "mark" }, job.state)),
    h("td", { class: progress ? "long" : "blank", "data-title": "Progress" }, progress),
    h("td", { class: "moment", "data-title": "Created (UTC)" }, h("time", { datetime: job.created, title: job.created }, job.created.slice(0, 16).replace("T", " "))),
    h("td", { class: opens || !ended ? null : "blank", "data-title": "Result" }, opens && h("a", { href: address(job), "aria-label": `Open ${job.title}` }, "Open"),
      !ended && h("button", { type: "button", class: "tool", "aria-label": `Cancel ${job.title}`, onclick: () => post(`/api/jobs/${job.id}/cancel`).then((now) => put(latest(now)), complain) }, "Cancel")));
};

// The newest first, in whichever order they are told.
const put = (job) => {
  const row = rowOf(job);
  const before = byId(`job-${job.id}`);
  known.set(job.id, job);
  if (before) before.replaceWith(row);
  else body.insertBefore(row, [...body.rows].find((one) => known.get(one.id.slice(4)).created < job.created) ?? null);
  byId("none").hidden = known.size > 0;
};

onJob(put);
get("/api/jobs?limit=1000").then(({ jobs }) => {
  for (const job of jobs) put(latest(job));
  byId("none").hidden = known.size > 0;
}, complain);
