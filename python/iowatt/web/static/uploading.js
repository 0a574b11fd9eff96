// A file of the reader into the workspace, with progress.
import { upload } from "./api.js";
import { say } from "./dom.js";

/** Upload a file; the answer names the job that describes it. */
export const sendFile = async (file) => {
  const name = file.name.replace(/[^\p{L}\p{N}._+-]/gu, "_").replace(/^\.+/, "").slice(-120);
  const answer = await upload(`/api/uploads/${encodeURIComponent(name)}`, file, (share) =>
    say(`Uploading ${file.name}: ${Math.round(100 * share)} %`));
  say("");
  return answer;
};
