// The front page: the chart and the table of results, and what-if beside them.
import { get, onJob, post } from "./api.js";
import { Chart } from "./chart.js";
import { confirmed, byId, complain, debounced, h, number, say, usd } from "./dom.js";
import { WhatIf } from "./whatif.js";

const PAGE = 100;
const WHAT_IF = "what-if/";
const MOST_KEPT = 20;
const COLUMNS = [
  ["name", "Name"], ["kind", "Kind"], ["p95_ms", "p95 (ms)"],
  ["watts", "Power (W)"], ["iops", "IOPS"], ["usable_tb", "Usable (TB)"], ["usd_per_tb", "$/TB"], ["usd", "Dollars"], ["system", "Drives", false], ["at", "When (UTC)"],
];
const table = { text: "", kind: "", sort: "at", descending: true, rows: [], total: 0 };
const selected = new Map();
let version = -1;

// Runs of changed designs are shown where the switch says so; one that is selected or has just been simulated is always shown.
const isWhatIf = (path) => path.startsWith(WHAT_IF);
const kept = () => [...selected.keys(), whatIf.link].filter((path) => path && isWhatIf(path));
const shows = (path) => !isWhatIf(path) || byId("what-ifs").checked || selected.has(path) || path === whatIf.link;

const chart = new Chart(byId("chart"), {
  shows,
  chosen: (path) => { toggle(path, true); if (isChangeable(path)) whatIf.choose(`run:${path}`).catch(complain); },
  levelled: (ms) => setLevel(ms),
});
const whatIf = new WhatIf({
  changed: (figures, link) => {
    chart.extra = figures;
    chart.draw();
    if (link) redraw();
  },
});

// A measured Run has no design that could be changed.
const isChangeable = (path) => !chart.points.measured[chart.points.path.indexOf(path)];

const redraw = () => {
  chart.draw();
  sayBest();
  load(true).catch(complain);
};

const setLevel = (ms) => {
  byId("level").value = Number(ms.toPrecision(3));
  byId("level").dispatchEvent(new Event("input"));
};

// What the line decides: the cheapest and the thriftiest system under it.
const sayBest = () => {
  const { points, statistic, level } = chart;
  if (!points) return;
  const rows = points.path.map((_, row) => row).filter((row) => points[statistic][row] > 0 && shows(points.path[row]));
  const within = rows.filter((row) => points[statistic][row] <= level && !points.late[row]);
  const least = (key) => within.filter((row) => points[key][row] > 0).sort((a, b) => points[key][a] - points[key][b])[0];
  const thrift = least("watts");
  const cheap = least("usd_per_tb");
  const name = (row) => points.name[row] === points.path[row] ? points.name[row] : `${points.name[row]} (${points.path[row]})`;
  byId("best").textContent = !rows.length ? "" : !within.length ? "No system meets this service level." : [
    `${within.length} of ${rows.length} systems meet it.`,
    thrift !== undefined && `Lowest power: ${name(thrift)}, ${number(points.watts[thrift])} W.`,
    cheap !== undefined && `Cheapest per usable TB: ${name(cheap)}, ${usd(points.usd_per_tb[cheap])}.`,
    "Their workloads may differ: compare them at equal work before you decide.",
  ].filter(Boolean).join(" ");
};

const summary = (state, points) => {
  const measured = points.measured.filter(Boolean).length;
  const text = state.runs
    ? `${state.runs.toLocaleString("en-US")} Runs: ${(points.path.length - measured).toLocaleString("en-US")} simulated, ${measured.toLocaleString("en-US")} measured. ${(state.results - state.runs).toLocaleString("en-US")} other results.`
    : "No Runs yet. The panel has a shipped design: change it and simulate it.";
  const without = points.path.filter((_, row) => !(points.watts[row] > 0)).length;
  const unseen = without ? ` ${without.toLocaleString("en-US")} without power ${without === 1 ? "is" : "are"} only in the table.` : "";
  byId("summary").textContent = state.indexing && state.unpriced ? `${text}${unseen} Pricing ${state.unpriced.toLocaleString("en-US")} more…` : text + unseen;
};

const refresh = async () => {
  const state = await get("/api/workspace");
  if (state.version !== version) {
    version = state.version;
    chart.points = await get("/api/points");
    summary(state, chart.points);
    const changed = chart.points.path.filter(isWhatIf).length;
    byId("what-ifs-box").hidden = !changed;
    byId("what-ifs-count").textContent = changed.toLocaleString("en-US");
    await chart.draw();
    sayBest();
    await load(true);
    await whatIf.designs.update();
  }
  setTimeout(() => refresh().catch(complain), state.indexing ? 1500 : 6000);
};

// The table.
const load = async (again) => {
  const offset = again ? 0 : table.rows.length;
  const limit = again ? Math.max(PAGE, Math.min(table.rows.length, 500)) : PAGE;
  const query = new URLSearchParams({ text: table.text, kind: table.kind, sort: table.sort, descending: table.descending, offset, limit, what_if: byId("what-ifs").checked });
  for (const path of kept().slice(-MOST_KEPT)) query.append("keep", path);
  const found = await get(`/api/results?${query}`);
  table.rows = again ? found.results : [...table.rows, ...found.results];
  table.total = found.total;
  show();
};

const show = () => {
  byId("results").tHead.replaceChildren(h("tr", {}, h("th", { scope: "col" }, h("span", { class: "hidden" }, "Select")),
    COLUMNS.map(([key, title, sortable = true]) => h("th", {
      scope: "col", class: isNumber(key) ? "n" : null,
      "aria-sort": table.sort === key ? (table.descending ? "descending" : "ascending") : null,
    }, sortable ? h("button", { class: "sort", type: "button", onclick: () => sortBy(key) }, title) : title))));
  byId("results").tBodies[0].replaceChildren(...table.rows.map(rowOf));
  byId("more").hidden = table.rows.length >= table.total;
  byId("shown").textContent = table.total ? `${table.rows.length.toLocaleString("en-US")} of ${table.total.toLocaleString("en-US")}` : "No match.";
};

const isNumber = (key) => ["p95_ms", "watts", "iops", "usable_tb", "usd_per_tb", "usd"].includes(key);
const sortBy = (key) => {
  table.descending = table.sort === key ? !table.descending : !isNumber(key) && key === "at";
  table.sort = key;
  load(true).catch(complain);
};

const rowOf = (row) => {
  const run = row.kind === "run";
  const address = `/result/${row.path.split("/").map(encodeURIComponent).join("/")}`;
  const box = run && h("input", {
    type: "checkbox", "aria-label": `Select ${row.name}, ${row.path}`, checked: selected.has(row.path),
    onchange: (event) => toggle(row.path, event.target.checked, row.name),
  });
  const change = run && !row.measured && h("button", { class: "tool", type: "button", title: `Change the design of ${row.name}`, "aria-label": `What if: ${row.path}`, onclick: () => choose(row.path) }, "What if");
  const kind = h("span", { class: row.measured ? "mark measured" : "mark", title: row.source ?? "" }, run ? (row.measured ? "measured" : "simulated") : row.kind);
  return h("tr", { "aria-selected": selected.has(row.path) ? "true" : null },
    h("td", {}, box),
    h("th", { scope: "row", class: "name", title: row.path }, h("span", { class: "named" }, h("a", { href: address }, row.name), change), h("span", { class: "quiet" }, row.path)),
    h("td", {}, kind, row.late && h("span", { class: "mark overloaded", title: "Requests arrive faster than the system serves them; its dollars per TB are meaningless" }, "overloaded")),
    ["p95_ms", "watts", "iops", "usable_tb"].map((key) => h("td", { class: "n" }, number(row[key]))),
    h("td", { class: "n", title: row.note ?? "" }, usd(row.late ? null : row.usd_per_tb)),
    h("td", { class: "n", title: row.note ?? "" }, usd(row.usd)), h("td", { class: "system", title: row.system ?? "" }, row.system ?? "–"),
    h("td", {}, row.at.slice(0, 16).replace("T", " ")));
};

// On narrow screens the panel is below the table: it is brought into view.
const choose = async (path) => {
  await whatIf.choose(`run:${path}`).catch(complain);
  const { top } = byId("whatif-title").getBoundingClientRect();
  if (top < 0 || top > window.innerHeight / 2) byId("whatif-title").scrollIntoView();
};

const toggle = (path, on, name = path) => {
  if (on) selected.set(path, name); else selected.delete(path);
  const count = selected.size;
  byId("compare").disabled = count < 2;
  for (const id of ["cost", "report", "clear"]) byId(id).disabled = !count;
  byId("selected").textContent = count ? `${count} selected${count === 1 ? "; select another to compare" : ""}.` : "No Run is selected.";
  for (const box of document.querySelectorAll("#results tbody input")) {
    const row = table.rows[box.closest("tr").sectionRowIndex];
    box.checked = selected.has(row.path);
    box.closest("tr").toggleAttribute("aria-selected", box.checked);
    if (box.checked) box.closest("tr").setAttribute("aria-selected", "true");
  }
};

const open = (lens) => {
  // The oldest first: that is what the others are compared with.
  const runs = [...selected.keys()];
  location.href = `/view/${lens}?${new URLSearchParams([...runs.map((run) => ["run", run]), ...(lens === "report" ? [] : [["of", chart.statistic.replace("_ms", "")]])])}`;
};
for (const lens of ["compare", "cost", "report"]) byId(lens).addEventListener("click", () => open(lens));
byId("clear").addEventListener("click", () => { for (const path of [...selected.keys()]) toggle(path, false); });
byId("more").addEventListener("click", () => load(false).catch(complain));
byId("filter").addEventListener("input", debounced((event) => { table.text = event.target.value; load(true).catch(complain); }, 200));
byId("kind").addEventListener("change", (event) => { table.kind = event.target.value; load(true).catch(complain); });
byId("what-ifs").addEventListener("change", redraw);
const inUse = () => [...kept(), whatIf.run].filter(Boolean);
confirmed(byId("what-ifs-delete"), () => {
  const count = chart.points.path.filter((path) => isWhatIf(path) && !inUse().includes(path)).length;
  return `Delete ${count.toLocaleString("en-US")} that ${count === 1 ? "is" : "are"} not in use?`;
}, async () => {
  const keep = inUse();
  const { deleted } = await post("/api/whatif/delete", { keep });
  whatIf.forget(keep);
  say(`${deleted.toLocaleString("en-US")} what-if Run${deleted === 1 ? "" : "s"} deleted.`);
});
byId("statistic").addEventListener("change", (event) => { chart.statistic = event.target.value; chart.draw(); sayBest(); });
byId("level").addEventListener("input", (event) => {
  const ms = Number(event.target.value);
  const valid = ms > 0;
  event.target.setAttribute("aria-invalid", String(!valid));
  event.target.setAttribute("aria-describedby", valid ? "level-help" : "level-error");
  byId("level-error").textContent = valid ? "" : `A service level must be above 0 ms; the line stays at ${number(chart.level)} ms.`;
  if (!valid) return;
  chart.level = ms;
  chart.draw();
  sayBest();
});

// A file dropped on the page goes to the page of traces.
document.addEventListener("dragover", (event) => { if (event.dataTransfer?.types.includes("Files")) { event.preventDefault(); byId("drop").classList.add("dropping"); } });
document.addEventListener("dragleave", () => byId("drop").classList.remove("dropping"));
document.addEventListener("drop", async (event) => {
  if (!event.dataTransfer?.files.length) return;
  event.preventDefault();
  byId("drop").classList.remove("dropping");
  const { sendFile } = await import("./uploading.js");
  sendFile(event.dataTransfer.files[0]).then(({ job }) => { location.href = `/traces?job=${job.id}`; }, complain);
});

onJob((job) => { if (job.state === "done") setTimeout(() => { version = -1; }, 300); });
// The newest design that can be changed: a Run that was simulated, as its author had it.
const newest = () => {
  const { path = [], measured } = chart.points ?? {};
  const simulated = path.filter((_, row) => !measured[row]);
  const first = simulated.find((one) => !isWhatIf(one)) ?? simulated[0];
  return first && `run:${first}`;
};
refresh().catch(complain).then(() => whatIf.begin(newest())).catch(complain);
