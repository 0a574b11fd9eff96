// Files of the reader: uploaded, described, and described again where their reader says how they are read.
import { get, jobEnds, post } from "./api.js";
import { showDescribed, showFailed } from "./described.js";
import { byId, complain, h, say } from "./dom.js";
import { sendFile } from "./uploading.js";

const drop = byId("drop");

const add = async (file) => {
  try {
    const { job } = await sendFile(file);
    await follow(job.id);
  } catch (error) {
    complain(error);
  }
};

const follow = async (id) => {
  const address = new URLSearchParams(location.search);
  address.set("job", id);
  history.replaceState(null, "", `/traces?${address}`);
  const line = h("p", { class: "quiet" }, "Describing…");
  byId("uploads").replaceChildren(line);
  const { path, trace } = (await get(`/api/jobs/${id}`)).request;
  const ended = await jobEnds(id, (job) => { line.textContent = `${job.title}: ${job.text || job.state}`; });
  line.remove();
  say("");
  const again = (keys) => post("/api/jobs", { kind: "describe", title: ended.title, request: { path, trace: keys } }).then((job) => follow(job.id)).catch(complain);
  if (ended.state === "done") await showDescribed(await get(`/api/described/${id}`), trace ?? null, again);
  else await showFailed(ended, path, trace ?? null, again);
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
