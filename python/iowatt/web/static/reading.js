// How a trace is read: keys of `trace` that the file does not say, with its first lines beside them.
import { byId, fill, h } from "./dom.js";

const TABLES = ["", "csv", "parquet"]; // "" stands for a table whose format is not chosen
const EVENTS = ["blkparse", "blktrace", "perf", "hp-srt", "etw"];
const COLUMN_TITLES = {
  time: "Time", op: "Operation", offset: "Address in bytes", lba: "Address in sectors", size: "Size in bytes", sectors: "Size in sectors",
  device: "Device", stream: "Stream", response: "Response time",
};
// Keys beside the columns: title, help, and the formats that take them ("": a table).
const KEYS = {
  time_unit: { title: "Time unit", choices: ["", "s", "ms", "us", "ns", "ps"], unset: "from the header", formats: [...TABLES, "regex", "mqsim"] },
  sector_size: { title: "Sector", help: "512 or 4KiB, if addresses are in sectors" },
  rate_iops: { title: "Rate (requests/s)", help: "for a trace without times", formats: ["", "arc", "lirs", "fio-iolog"], number: true },
  event: { title: "Event", choices: ["", "Q", "D", "C"], unset: "the format's default", formats: EVENTS },
  pattern: { title: "Line pattern", help: "(?<time_s>[\\d.]+) (?<op>R|W) (?<lba>\\d+) (?<sectors>\\d+)", formats: ["regex"] },
};

const field = (key, title, input, help) => h("div", { class: "field", id: `field-${key.replace(".", "-")}` },
  h("label", { for: `read-${key.replace(".", "-")}` }, title, " ", h("code", { class: "unit" }, key)), input, help && h("span", { class: "help" }, help), h("span", { class: "error", id: `read-${key.replace(".", "-")}-error` }));

const select = (id, choices, value, unset) => h("select", { id }, choices.map((one) => h("option", { value: one, selected: one === (value ?? "") }, one || unset)));

const ofColumn = (name, preview, value) => field(`columns.${name}`, COLUMN_TITLES[name] ?? name,
  h("input", { id: `read-columns-${name}`, list: "read-headers", value: String(value ?? ""), maxlength: "400", autocomplete: "off" }));

const ofKey = (key, value) => {
  const { title, choices, unset, help, number } = KEYS[key];
  const id = `read-${key}`;
  return field(key, title, choices ? select(id, choices, value, unset)
    : h("input", { id, type: number ? "number" : "text", min: number ? "0" : null, step: number ? "any" : null, value: String(value ?? ""), autocomplete: "off" }), help);
};

/** The form; `read(keys)` when it is sent. `given`: keys that were tried before; `error`: what was wrong with them. */
export const readingForm = (preview, { given, error, read, buttons = [] }) => {
  const keys = given ?? preview.trace;
  const columns = keys.columns ?? {};
  const form = h("form", { class: "reading", novalidate: true, onsubmit: (event) => { event.preventDefault(); read(keysOf(preview)); } },
    preview.lines.length > 0 && h("pre", { class: "preview", tabindex: "0", "aria-label": "First lines" }, preview.lines.join("\n")),
    h("div", { class: "grid3" },
      field("format", "Format", select("read-format", ["", ...preview.formats], keys.format, "detect")),
      Object.keys(KEYS).map((key) => ofKey(key, keys[key]))),
    h("fieldset", { id: "read-columns" }, h("legend", { class: "quiet" }, preview.headed ? "Columns, by header" : "Columns, by header or by number from 0"),
      h("datalist", { id: "read-headers" }, preview.columns.map((one) => h("option", { value: one }))),
      h("div", { class: "grid3" }, preview.fields.map((name) => ofColumn(name, preview, columns[name])))),
    h("div", { class: "buttons" }, h("button", { class: "primary" }, "Read again"), buttons));
  form.querySelector("#read-format").addEventListener("change", () => fit(form, preview));
  fit(form, preview);
  mark(form, error, given ? [] : preview.needs);
  return form;
};

// Only what the format takes is shown.
const fit = (form, preview) => {
  const format = form.querySelector("#read-format").value || (preview.columns.length ? "" : "unknown");
  for (const [key, { formats }] of Object.entries(KEYS)) form.querySelector(`#field-${key}`).hidden = Boolean(formats) && !formats.includes(format);
  form.querySelector("#read-columns").hidden = !TABLES.includes(format);
};

// The field that the error names, or those that the file needs.
const mark = (form, error, needs) => {
  const named = error?.place?.startsWith("trace.") ? error.place.slice(6).replace(".", "-") : null;
  const input = named && form.querySelector(`#read-${named}`);
  if (input) {
    input.setAttribute("aria-invalid", "true");
    input.setAttribute("aria-describedby", `${input.id}-error`);
    fill(form.querySelector(`#${input.id}-error`), [error.message, error.hint].filter(Boolean).join(" "));
  }
  for (const key of needs) {
    const one = form.querySelector(key === "columns" ? "#read-columns input" : `#read-${key}`);
    if (!one) continue;
    one.setAttribute("aria-required", "true");
    one.setAttribute("aria-describedby", `${one.id}-error`);
    fill(form.querySelector(`#${one.id}-error`), key === "columns" ? "Enter the columns that the table has." : "The file does not state it.");
  }
};

const keysOf = (preview) => {
  const keys = {};
  const text = (id) => { const input = byId(id); return input.closest("[hidden]") ? "" : input.value.trim(); };
  for (const key of ["format", ...Object.keys(KEYS)]) {
    const value = text(`read-${key}`);
    if (value !== "") keys[key] = KEYS[key]?.number ? Number(value) : value;
  }
  const columns = Object.fromEntries(preview.fields.map((name) => [name, text(`read-columns-${name}`)]).filter(([, value]) => value !== "")
    .map(([name, value]) => [name, !preview.headed && /^\d{1,4}$/.test(value) ? Number(value) : value]));
  if (Object.keys(columns).length) keys.columns = columns;
  return keys;
};
