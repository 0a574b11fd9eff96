// All jobs, as they change.
import { get, onJob, post } from "./api.js";
import { byId, complain, h } from "./dom.js";

const body = byId("jobs").tBodies[0];
const known = new Map();

const address = (job) => job.kind === "describe" ? `/traces?job=${job.id}` : job.kind === "choose" && job.state !== "done" ? `/choose?job=${job.id}` : `/result/${job.result}`;
const rowOf = (job) => {
  const ended = ["done", "failed", "cancelled"].includes(job.state);
  const progress = job.state === "running"
    ? [h("progress", { max: "1", ...(job.fraction === null ? {} : { value: String(job.fraction) }), "aria-label": `Progress of ${job.title}` }), h("span", { class: "quiet" }, job.text)]
    : [h("span", { class: "quiet" }, job.error ? [job.error.place, job.error.message].filter(Boolean).join(": ") : job.text)];
  return h("tr", { id: `job-${job.id}` },
    h("th", { scope: "row" }, job.title, " ", h("span", { class: "quiet" }, job.kind)), h("td", {}, h("span", { class: "mark" }, job.state)),
    h("td", {}, progress), h("td", {}, job.created.slice(0, 19).replace("T", " ")),
    h("td", {}, job.state === "done" && h("a", { href: address(job) }, "Open"),
      !ended && h("button", { type: "button", class: "tool", "aria-label": `Cancel ${job.title}`, onclick: () => post(`/api/jobs/${job.id}/cancel`).then(put, complain) }, "Cancel")));
};

const put = (job) => {
  const row = rowOf(job);
  const before = byId(`job-${job.id}`);
  if (before) before.replaceWith(row);
  else body.prepend(row);
  known.set(job.id, job);
  byId("none").hidden = known.size > 0;
};

onJob(put);
get("/api/jobs?limit=200").then(({ jobs }) => {
  for (const job of jobs.reverse()) put(job);
  byId("none").hidden = known.size > 0;
}, complain);
