// Requests to the server that sent the page, and what it pushes.

const csrf = document.querySelector("meta[name=iowatt-csrf]")?.content ?? "";

/** An answer that is an error: its code, place, message and hint. */
export class Refused extends Error {
  constructor({ code, place, message, hint }) {
    super(message);
    Object.assign(this, { code, place, hint });
  }
}

const answer = async (response) => {
  const body = await response.json().catch(() => null);
  if (response.ok && body !== null) return body;
  throw new Refused(body?.error ?? { code: "unreachable", message: `the server answered ${response.status}` });
};

const sent = async (address, options) => {
  try {
    return await fetch(address, { headers: {}, ...options });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Refused({ code: "unreachable", message: "the server does not answer; is `iowatt serve` still running?" });
  }
};

export const get = async (address, options = {}) => answer(await sent(address, options));

export const post = async (address, body = {}, options = {}) =>
  answer(await sent(address, {
    method: "POST",
    headers: { "content-type": "application/json", "x-iowatt-csrf": csrf },
    body: JSON.stringify(body),
    ...options,
  }));

export const remove = async (address) => answer(await sent(address, { method: "DELETE", headers: { "x-iowatt-csrf": csrf } }));

/** Upload a file as it is; `progress` gets the share that is sent. */
export const upload = (address, file, progress) =>
  new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    request.setRequestHeader("x-iowatt-csrf", csrf);
    request.upload.onprogress = (event) => event.lengthComputable && progress(event.loaded / event.total);
    request.onload = () => {
      const body = (() => { try { return JSON.parse(request.responseText); } catch { return null; } })();
      if (request.status < 300 && body) resolve(body);
      else reject(new Refused(body?.error ?? { code: "unreachable", message: `the server answered ${request.status}` }));
    };
    request.onerror = () => reject(new Refused({ code: "unreachable", message: "the upload was interrupted" }));
    request.send(file);
  });

// The last known state of each job. A response may arrive after a newer event.
const jobs = new Map();

/** The latest known state of a job: `job`, or a newer one that arrived before it. */
export const latest = (job) => {
  const known = jobs.get(job.id);
  if (known !== undefined && known.change > job.change) return known;
  jobs.set(job.id, job);
  return job;
};

// One stream for the page; each listener gets every job that changes.
const listeners = new Set();
let stream = null;

/** Call `listener(job)` whenever a job changes. Returns a function that ends it. */
export const onJob = (listener) => {
  listeners.add(listener);
  if (stream === null) {
    stream = new EventSource("/api/events");
    stream.addEventListener("job", (event) => {
      const job = latest(JSON.parse(event.data));
      for (const one of listeners) one(job);
    });
  }
  return () => listeners.delete(listener);
};

/** The job when it has ended; `changed(job)` meanwhile. */
export const jobEnds = (id, changed = () => {}) =>
  new Promise((resolve) => {
    const seen = (job) => {
      if (job.id !== id) return;
      changed(job);
      if (["done", "failed", "cancelled"].includes(job.state)) {
        end();
        resolve(job);
      }
    };
    const end = onJob(seen);
    get(`/api/jobs/${id}`).then((job) => seen(latest(job)), () => {});  // it may have changed before the stream began
  });
