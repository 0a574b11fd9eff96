// The power calculator: an array from its parts, and what it draws as soon as one of them changes.

import { get, post } from "./api.js";
import { byId, complain, h, number as shortly, save, say } from "./dom.js";
import { TomlForm, copyButton, tool } from "./form.js";

const PAGE_CHARS = 16_000;
const QUALITY = {
  measured: "measured", stated: "published", derived: "derived", assumed: "assumed", "common-knowledge": "common knowledge",
};
const LEVELS = [["5", "RAID 5"], ["6", "RAID 6"], ["10", "RAID 10"], ["0", "RAID 0"]];
const KINDS = ["controller", "processor-blade", "front-end", "back-end", "switch", "cache", "chassis", "enclosure", "fan", "adapter", "io-module", "battery", "other"];
const INPUTS = [["230V", "230 V, redundant supplies"], ["230V-eu", "230 V, EU"], ["115V", "115 V"]];

/** Where the figures are below the form, the foot of the page says the first ones. */
const narrow = matchMedia("(max-width: 70rem)");
const NEW = {
  name: "array",
  array: {
    pool: [{ name: "disks", device: "toshiba-mg09aca18te", count: 24, raid: { level: 6 } }],
    power: {
      enclosure: [
        {
          name: "head", supply: { rating: "750W", count: 2, needed: 1, efficiency: "80plus-gold" },
          part: [
            { name: "controller", model: "stand-in-controller", count: 2, needed: 1 },
            { name: "fan", model: "delta-pfr0612xhe", count: 4, speed: 0.5 },
          ],
        },
        {
          name: "shelf", slots: 24, form_factor: "3.5", pools: ["disks"], supply: { rating: "800W", count: 2, needed: 1, efficiency: "80plus-gold" },
          part: [
            { name: "io-module", model: "stand-in-io-module", count: 2 },
            { name: "fan", model: "delta-pfr0612xhe", count: 4, speed: 0.5 },
          ],
        },
      ],
    },
  },
};

let offers = null;

/** How good a figure is, and where it comes from; a long source on request. */
const evidence = (one) => {
  const mark = h("span", { class: `mark ${one.stand_in ? "assumed" : one.quality ?? ""}` }, one.stand_in ? "stand-in" : QUALITY[one.quality] ?? "no source");
  const watts = [one.idle_w === null ? null : `${shortly(one.idle_w)} W idle`, one.active_w === null ? null : `${shortly(one.active_w)} W ${one.kind === "fan" ? "at full speed" : "active"}`];
  const said = ` ${watts.filter(Boolean).join(", ")}`;
  if (one.source.length < 110) return h("p", { class: "evidence" }, mark, said, one.source ? ` · ${one.source}` : "");
  return h("details", { class: "evidence" }, h("summary", {}, mark, `${said} · source`), one.source);
};

const panel = (title, ...children) => {
  const id = `part-${title.toLowerCase().replace(/\W+/g, "-")}`;
  return h("section", { class: "panel", "aria-labelledby": id }, h("h2", { id }, title), ...children);
};

const freeName = (listed, stem) => {
  const taken = listed.map((one) => one.name);
  if (!taken.includes(stem)) return stem;
  let index = 2;
  while (taken.includes(`${stem}${index}`)) index += 1;
  return `${stem}${index}`;
};

const list = (form, ...path) => {
  const found = form.get(...path);
  return Array.isArray(found) ? found : [];
};

const ENCLOSURES = ["array", "power", "enclosure"];
const POOLS = ["array", "pool"];

const build = (form) => [
  panel("Drives",
    ...list(form, ...POOLS).map((one, index) => pool(form, index)),
    h("div", { class: "buttons" }, tool("Add drives of another model", () => addPool(form)))),
  panel("Enclosures",
    h("p", { class: "quiet" }, "Chassis that hold and power drives and parts: controller chassis, shelves, frames. Without a count, there are as many as the drives need."),
    ...list(form, ...ENCLOSURES).map((one, index) => enclosure(form, index)),
    h("div", { class: "buttons" },
      tool("Add a shelf", () => addEnclosure(form, { slots: 24, pools: [], supply: { rating: "800W", count: 2, needed: 1 }, part: [{ name: "io-module", model: "stand-in-io-module", count: 2 }] }, "shelf")),
      tool("Add a controller chassis", () => addEnclosure(form, { supply: { rating: "750W", count: 2, needed: 1 }, part: [{ name: "controller", model: "stand-in-controller", count: 2, needed: 1 }] }, "head")))),
  panel("Array",
    h("div", { class: "grid3" },
      form.field({ path: ["name"], label: "Name" }),
      form.field({ path: ["array", "power", "pue"], label: "Facility PUE", kind: "number", help: "Default: none.", example: "1.5" }),
      form.field({ path: ["array", "power", "spin_up", "at_once"], label: "Drives spun up at once", kind: "number", help: "Default: all." }),
      form.field({ path: ["array", "power", "controller"], label: "Controllers", kind: "select", options: [["inside", "included in the parts"], ["none", "none: shelves behind a host"]], empty: "included in the parts (default)" }))),
];

const addPool = (form) => form.reshape((tree) => {
  const pools = ((tree.array ??= {}).pool ??= []);
  const name = freeName(pools, "disks");
  pools.push({ name, device: "toshiba-mg09aca18te", count: 12, raid: { level: 6 } });
  const shelves = ((tree.array.power ??= {}).enclosure ??= []);
  const shelf = shelves.find((one) => one.slots !== undefined);
  if (shelf) shelf.pools = [...(shelf.pools ?? []), name];
}, `array.pool.${list(form, ...POOLS).length}.device`);

const addEnclosure = (form, made, stem) => form.reshape((tree) => {
  const all = (((tree.array ??= {}).power ??= {}).enclosure ??= []);
  all.push({ name: freeName(all, stem), ...made });
}, `${ENCLOSURES.join(".")}.${list(form, ...ENCLOSURES).length}.name`);

const pool = (form, index) => {
  const path = [...POOLS, index];
  const one = form.get(...path);
  const device = typeof one.device === "object" ? one.device.name : one.device;
  const known = offers.drives.find((each) => each.name === device);
  const seen = h("div", {}, known ? evidence(known) : null);
  const take = (value) => {
    form.set([...path, "device"], value);
    const found = offers.drives.find((each) => each.name === value);
    seen.replaceChildren(...(found ? [evidence(found)] : []));
  };
  const rename = (value) => {
    const before = form.get(...path, "name");
    for (const shelf of list(form, ...ENCLOSURES)) {
      if (Array.isArray(shelf.pools) && value !== undefined) shelf.pools = shelf.pools.map((each) => (each === before ? value : each));
    }
    for (const box of form.root.querySelectorAll("fieldset.boxes input")) {
      if (box.value !== before || value === undefined) continue;
      box.value = value;
      box.nextSibling.textContent = ` ${value}`;
    }
    form.set([...path, "name"], value);
  };
  return form.table({ path, label: `Drives: ${one.name ?? index + 1}` },
    form.field({ path: [...path, "device"], label: "Model", list: "drives", value: device, choose: take, help: "Type part of the name: seagate, 18tb, nvme." }), seen,
    h("div", { class: "grid3" },
      form.field({ path: [...path, "count"], label: "Count", kind: "number" }),
      form.field({ path: [...path, "raid", "level"], label: "Redundancy", kind: "select", options: LEVELS, empty: "none (one drive)", choose: (value) => form.set([...path, "raid", "level"], value === undefined ? undefined : Number(value)) }),
      form.field({ path: [...path, "name"], label: "Name", choose: rename })),
    list(form, ...POOLS).length > 1
      ? h("div", { class: "buttons" }, tool(`Remove ${one.name ?? "them"}`, () => form.reshape((tree) => {
        tree.array.pool.splice(index, 1);
        for (const shelf of tree.array.power?.enclosure ?? []) shelf.pools = shelf.pools?.filter((each) => each !== one.name);
      }, `array.pool.${Math.max(0, index - 1)}.device`))) : null);
};

const enclosure = (form, index) => {
  const path = [...ENCLOSURES, index];
  const one = form.get(...path);
  const pools = list(form, ...POOLS).map((each) => each.name).filter((each) => typeof each === "string");
  const parts = list(form, ...path, "part");
  return form.table({ path, label: `Enclosure: ${one.name ?? index + 1}` },
    h("div", { class: "grid3" },
      form.field({ path: [...path, "name"], label: "Name" }),
      form.field({ path: [...path, "count"], label: "Count", kind: "number", help: "Default: as many as the drives need." }),
      form.field({ path: [...path, "slots"], label: "Drive slots", kind: "number", help: "Default: none." }),
      form.field({ path: [...path, "form_factor"], label: "Slot form factor", kind: "select", options: [["2.5", "2.5-inch drives"], ["3.5", "3.5-inch drives"]], empty: "any drive" })),
    pools.length ? form.boxes({ path: [...path, "pools"], label: "Drives in it", options: pools.map((each) => [each, each]), all: false }) : null,
    supply(form, [...path, "supply"]),
    ...parts.map((each, number) => part(form, [...path, "part", number], index, number)),
    h("div", { class: "buttons" },
      tool("Add a part", () => form.reshape((tree) => {
        const all = (tree.array.power.enclosure[index].part ??= []);
        all.push({ name: freeName(all, "fan"), model: "delta-pfr0612xhe", count: 2, speed: 0.5 });
      }, `${[...path, "part", parts.length].join(".")}.model`)),
      list(form, ...ENCLOSURES).length > 1 ? tool(`Remove ${one.name ?? "this enclosure"}`, () => form.reshape((tree) => tree.array.power.enclosure.splice(index, 1), `${ENCLOSURES.join(".")}.${Math.max(0, index - 1)}.name`)) : null));
};

const supply = (form, path) => {
  const given = form.get(...path) !== undefined;
  const level = "row-part";
  const inputs = { kind: "select", options: INPUTS, empty: "230 V, redundant supplies (default)" };
  const efficiency = form.get(...path, "efficiency");
  const set = (value) => form.set([...path, "efficiency"], value !== undefined && Number.isFinite(Number(value)) ? Number(value) : value);
  if (!given) {
    return form.table({ path, label: "Power supplies", level },
      h("div", { class: "buttons" }, tool("Add power supplies", () => form.reshape((tree) => {
        tree.array.power.enclosure[path[3]].supply = { rating: "750W", count: 2, needed: 1, efficiency: "80plus-gold" };
      }, `${path.join(".")}.rating`)), h("span", { class: "quiet" }, "Without power supplies, component watts count as wall power.")));
  }
  return form.table({ path, label: "Power supplies", level },
    h("div", { class: "grid3" },
      form.field({ path: [...path, "count"], label: "Count", kind: "number", help: "Default: 2." }),
      form.field({ path: [...path, "needed"], label: "Required", kind: "number", help: "1 of 2 is 1+1. Default: half." }),
      form.field({ path: [...path, "rating"], label: "Rating of each", unit: "W", bare: "W", example: "750W" }),
      Array.isArray(efficiency)
        ? form.field({ path: [...path, "efficiency"], label: "Efficiency", value: "points, see TOML", choose: () => {} })
        : form.field({ path: [...path, "efficiency"], label: "Efficiency", kind: "select", options: [...offers.certificates.map((one) => [one.name, one.title]), ...[0.8, 0.85, 0.9, 0.95].map((one) => [one, `${100 * one} % at any load`])], empty: "80 PLUS Gold (default)", choose: set }),
      form.field({ path: [...path, "input"], label: "Input", ...inputs }),
      form.field({ path: [...path, "sharing"], label: "Load sharing", kind: "select", options: [["load-sharing", "shared equally"], ["active-standby", "active/standby"]], empty: "shared equally (default)" })));
};

const part = (form, path, index, number) => {
  const one = form.get(...path);
  const known = offers.parts.find((each) => each.name === one.model);
  const groups = KINDS.map((kind) => ({ title: kind, options: offers.parts.filter((each) => each.kind === kind).map((each) => [each.name, each.title]) })).filter((group) => group.options.length);
  const take = (value) => form.reshape((tree) => {
    const here = tree.array.power.enclosure[index].part[number];
    const found = offers.parts.find((each) => each.name === value);
    for (const name of ["model", "kind", "idle", "active", "speed", "law"]) delete here[name];
    if (found === undefined) Object.assign(here, { kind: "other", idle: "10W" });
    else here.model = value;
    if (found?.law === "speed-cubed") here.speed = 0.5;
  });
  const fan = known?.law === "speed-cubed" || one.law === "speed-cubed" || one.speed !== undefined;
  return form.table({ path, label: `Part: ${one.name ?? number + 1}`, level: "row-part" },
    form.field({ path: [...path, "model"], label: "Part", kind: "select", options: groups, empty: "custom: enter its watts", choose: take }),
    known ? evidence(known) : null,
    h("div", { class: "grid3" },
      form.field({ path: [...path, "count"], label: "Count per enclosure", kind: "number", help: "Default: 1." }),
      form.field({ path: [...path, "needed"], label: "Required", kind: "number", help: "Default: all." }),
      form.field({ path: [...path, "name"], label: "Name" }),
      fan ? form.field({ path: [...path, "speed"], label: "Speed", kind: "number", unit: "fraction of full speed", example: "0.5" }) : null,
      one.model === undefined ? form.field({ path: [...path, "kind"], label: "Kind", kind: "select", options: KINDS.map((kind) => [kind, kind]), empty: "other" }) : null,
      one.model === undefined || one.idle !== undefined ? form.field({ path: [...path, "idle"], label: "Idle", unit: "W each", bare: "W", example: "86W" }) : null,
      one.model === undefined || one.active !== undefined ? form.field({ path: [...path, "active"], label: "Active", unit: "W each", bare: "W", example: "99W", help: "Default: same as idle." }) : null),
    h("div", { class: "buttons" }, tool(`Remove ${one.name ?? "it"}`, () => form.reshape((tree) => tree.array.power.enclosure[index].part.splice(number, 1), `${ENCLOSURES.join(".")}.${index}.name`))));
};

// What it draws

const figure = (one) => {
  const [value, ...unit] = one.shown.split(/\s/);
  return h("div", {}, h("dt", {}, one.title), h("dd", {}, h("span", { class: "big" }, value, " ", unit.join(" ")), one.remark ? h("div", { class: "tile-remark" }, one.remark) : null));
};

const bars = (power) => {
  const most = Math.max(1e-9, ...power.components.map((one) => one.watts.normal.active), ...power.components.map((one) => one.watts.normal.idle));
  const bar = (watts, kind) => {
    const made = h("i", { class: kind });
    made.style.width = `${(100 * watts) / most}%`;
    return made;
  };
  return [
    h("p", { class: "key", "aria-hidden": "true" }, h("span", {}, h("i", { class: "idle" }), "idle"), h("span", {}, h("i", { class: "active" }), "active")),
    h("table", { class: "bars" },
      h("caption", { class: "quiet", style: "text-align: left" }, "Watts by component, at the input of drives and parts; power supplies count their losses."),
      h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Component"), h("th", { scope: "col", "aria-hidden": "true" }), h("th", { scope: "col", class: "right" }, "Idle, W"), h("th", { scope: "col", class: "right" }, "Active, W"))),
      h("tbody", {}, power.components.map((one) => h("tr", {},
        h("th", { scope: "row" }, `${one.name} × ${one.count.toLocaleString("en-US")}`),
        h("td", { class: "bar", "aria-hidden": "true" }, bar(one.watts.normal.idle, "idle"), bar(one.watts.normal.active, "active")),
        h("td", {}, shortly(one.watts.normal.idle)), h("td", {}, shortly(one.watts.normal.active)))))),
  ];
};

const table = (one) => h("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": one.title },
  h("table", { class: "figures" }, h("caption", { class: "quiet", style: "text-align: left" }, `${one.title}. ${one.caption}`),
    h("thead", {}, h("tr", {}, one.columns.map((name, index) => h("th", { scope: "col", class: one.text[index] ? "text" : null }, name)))),
    h("tbody", {}, one.rows.map((row) => h("tr", {}, row.map((cell, index) => h("td", { class: one.text[index] ? "text" : null }, cell)))))));

const answered = (made) => {
  const wrong = made.errors.length;
  byId("count").textContent = wrong ? `${wrong === 1 ? "Fix this error" : `Fix these ${wrong} errors`}${byId("tiles").children.length ? "; the figures below are from the last valid array" : ""}:` : made.shown.verdict[0];
  byId("figures").classList.toggle("stale", wrong > 0);
  link(made);
  if (narrow.matches) say(wrong ? made.errors[0].message : made.shown.headlines.slice(0, 2).map((one) => `${one.title} ${one.shown}`).join(", "), wrong ? "error" : "");
  if (made.power === null) return;
  byId("tiles").replaceChildren(...made.shown.headlines.map(figure));
  byId("verdict").replaceChildren(
    ...made.shown.verdict.slice(1).map((line) => h("p", { class: "quiet" }, line)),
    h("ul", { class: "remarks quiet", "aria-label": "Notes" }, made.shown.notes.map((line) => h("li", {}, line))));
  byId("bars").replaceChildren(...bars(made.power));
  byId("tables").replaceChildren(...made.shown.tables.filter((one) => one.key !== "components").map(table));
  byId("sources").replaceChildren(...made.power.sources.map((line) => h("li", {}, line)));
};

/** The page of the answer has the array in its address. */
const link = (made) => {
  const page = byId("page");
  const fits = made.power !== null && made.toml.length < PAGE_CHARS;
  if (fits) page.setAttribute("href", `/power/page?${new URLSearchParams({ toml: made.toml, base: form.base })}`);
  else page.removeAttribute("href");
  page.setAttribute("aria-disabled", String(!fits));
  byId("page-says").textContent = made.power === null || fits ? "" : "This array is too large for a page address: save the file and use the command.";
};

const form = new TomlForm({ address: "/api/power", root: byId("form"), text: byId("text"), problems: byId("problems"), build, answered });
byId("form").addEventListener("submit", (event) => event.preventDefault());
byId("text-tools").append(tool("Save array.toml", () => save("array.toml", form.text.value, "application/toml")), copyButton("Copy", () => form.text.value));

const open = async () => {
  const [{ files }, parts] = await Promise.all([get("/api/power/starts"), get("/api/power/parts")]);
  offers = parts;
  byId("drives").append(...offers.drives.map((one) => h("option", { value: one.name }, `${one.title}${one.capacity_tb === null ? "" : `, ${shortly(one.capacity_tb)} TB`}, ${shortly(one.idle_w)} W idle`)));
  const option = (one) => h("option", { value: one.id }, one.id.startsWith("example:") ? one.name : one.id);
  const own = files.filter((one) => !one.id.startsWith("example:"));
  byId("start").append(
    h("option", { value: "" }, "A new array"),
    ...(own.length ? [h("optgroup", { label: "Files of this workspace" }, own.map(option))] : []),
    h("optgroup", { label: "Examples" }, files.filter((one) => one.id.startsWith("example:")).map(option)));
  const begin = async (id) => {
    const file = files.find((one) => one.id === id);
    byId("start-says").textContent = file?.title ?? "Two controllers and a shelf of 24 18 TB disks, as a starting point.";
    const made = file ? await get(`/api/power/start?file=${encodeURIComponent(id)}`) : await post("/api/power", { fields: NEW });
    form.begin(made, file?.base ?? "");
  };
  byId("start").addEventListener("change", (event) => begin(event.target.value).catch(complain));
  await begin("");
};

open().catch(complain);
