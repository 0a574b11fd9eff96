// A form whose fields are the keys of a TOML file. The tree of keys lies here; the server makes the text of it, makes the
// tree of an edited text, and says what is wrong with which key.

import { debounced, h, complain } from "./dom.js";
import { post } from "./api.js";

const WAIT_MS = 200;
let count = 0;
const fresh = (name) => `${name}-${++count}`;

export const at = (tree, path) => path.reduce((here, step) => here?.[step], tree);

/** Set a key, or remove it with `undefined`; tables that are left empty go, too. */
export const put = (tree, path, value) => {
  const [step, ...rest] = path;
  if (rest.length === 0) {
    if (value === undefined) delete tree[step];
    else tree[step] = value;
    return;
  }
  if (typeof tree[step] !== "object" || tree[step] === null) {
    if (value === undefined) return;
    tree[step] = {};
  }
  put(tree[step], rest, value);
  if (value === undefined && !Array.isArray(tree[step]) && Object.keys(tree[step]).length === 0) delete tree[step];
};

const NUMBER = /^[-+]?\d+\.?\d*(e[-+]?\d+)?$/i;

/** What was typed as TOML has it: a number where it is one; other texts go to the server, which says what is wrong. */
const typed = (text, kind, bare = "") => {
  const value = text.trim();
  if (value === "") return undefined;
  if (bare && NUMBER.test(value)) return `${value}${bare}`;
  if (kind === "number" && NUMBER.test(value) && Number.isFinite(Number(value))) return Number(value);
  if (kind === "list") return value.split(/\s*,\s*/).filter(Boolean);
  if (kind === "lines") return value.split(/\n/).map((line) => line.trim()).filter(Boolean);
  return value;
};

const shown = (value, kind) => {
  if (value === undefined) return "";
  if (Array.isArray(value)) return value.join(kind === "lines" ? "\n" : ", ");
  return typeof value === "object" ? JSON.stringify(value) : String(value);
};

export class TomlForm {
  /**
   * `address` takes the fields or the text; `build(form)` returns the elements of the form; `answered(made)` gets every
   * answer. `text` is the textarea, `root` what the fields go into, `problems` the list of all that is wrong.
   */
  constructor({ address, root, text, problems, build, answered }) {
    Object.assign(this, { address, root, text, problems, build, answered, tree: {}, base: "", errors: [], waiting: null, sending: null });
    this.soon = debounced(() => this.settled(), WAIT_MS);
    text.addEventListener("input", () => this.later({ toml: text.value }));
  }

  /** Ask the server shortly; a later change takes the place of this one. */
  later(body) {
    this.waiting = body;
    this.soon();
  }

  /** Resolves once the server has answered the last change. */
  async settled() {
    const body = this.waiting;
    this.waiting = null;
    if (body !== null) this.sending = this.send(body);
    await this.sending;
  }

  /** Begin with an answer of the server. */
  begin(made, base) {
    this.base = base;
    this.text.value = made.toml;
    if (made.fields !== null) this.tree = made.fields;
    this.rebuild();
    this.take(made);
  }

  rebuild() {
    const open = [...this.root.querySelectorAll("details[data-key]")].filter((one) => one.open).map((one) => one.dataset.key);
    this.root.replaceChildren(...this.build(this));
    for (const one of this.root.querySelectorAll("details[data-key]")) one.open = open.includes(one.dataset.key);
    this.show(this.errors);
  }

  get(...path) { return at(this.tree, path); }

  set(path, value) {
    put(this.tree, path, value);
    this.later({ fields: this.tree });
  }

  /** A change that other fields depend on; the focus stays at the key `focus`, or the field that had it. */
  reshape(change, focus = null) {
    const place = focus ?? document.activeElement?.closest("[data-place]")?.dataset.place ?? null;
    change(this.tree);
    this.rebuild();
    if (place !== null) this.control(place)?.focus();
    this.later({ fields: this.tree });
  }

  control(place) {
    const found = this.root.querySelector(`[data-place="${CSS.escape(place)}"]`);
    if (found === null || found.matches("input, select, textarea")) return found;
    return found.querySelector("input:checked") ?? found.querySelector("input, select, textarea, button") ?? found;
  }

  async send(body) {
    this.controller?.abort();
    const controller = this.controller = new AbortController();
    try {
      const made = await post(this.address, { ...body, base: this.base }, { signal: controller.signal });
      if (body.toml === undefined) {
        this.text.value = made.toml;
      } else if (made.fields !== null) {
        this.tree = made.fields;
        this.rebuild();
      }
      this.take(made);
    } catch (error) {
      if (error.name === "AbortError") return;
      complain(error);
    }
  }

  take(made) {
    this.made = made;
    this.show(made.errors);
    this.answered(made);
  }

  /** Say each problem at its field, or at what is around it, and all of them in one list. */
  show(errors) {
    this.errors = errors;
    for (const one of this.root.querySelectorAll("[data-place]")) one.removeAttribute("aria-invalid");
    for (const one of this.root.querySelectorAll(".error")) one.replaceChildren();
    this.text.removeAttribute("aria-invalid");
    this.problems.replaceChildren(...errors.map((error) => this.placed(error)));
  }

  placed(error) {
    const steps = error.place === null ? [] : error.place.split(".");
    let target = null;
    for (let length = steps.length; length > 0 && target === null; length -= 1) {
      target = this.root.querySelector(`[data-place="${CSS.escape(steps.slice(0, length).join("."))}"]`);
    }
    const said = `${error.message}${error.hint ? ` (${error.hint})` : ""}`;
    if (target === null) {
      this.text.setAttribute("aria-invalid", "true");
      return h("li", {}, error.line === null ? said : `Line ${error.line} of the TOML: ${said}`);
    }
    target.setAttribute("aria-invalid", "true");
    const slot = document.getElementById(target.dataset.error);
    slot?.append(h("span", {}, said));
    const go = () => {
      for (let one = target.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
      this.control(target.dataset.place)?.focus();
    };
    for (let one = target.closest("details"); one; one = one.parentElement.closest("details")) one.open = true;
    return h("li", {}, h("button", { type: "button", class: "link", onclick: go }, `${target.dataset.label}: ${error.message}`));
  }

  /**
   * A field of a key.
   *
   * `kind`: text, number, select, list (with commas) or lines. `options` of a select are [value, title] or groups
   * { title, options }. `unit` stands behind the name; a number without a unit is one of `bare`, where the file wants a
   * unit. `choose(value)` does more than to set the key.
   */
  field({ path, label, unit = "", bare = "", help = "", more = "", kind = "text", options = [], empty = null, example = "", list = null, value, choose }) {
    const id = fresh("field");
    const place = path.join(".");
    const now = value === undefined ? this.get(...path) : value;
    const set = choose ?? ((given) => this.set(path, given));
    const common = {
      id, "data-place": place, "data-label": this.named(path, label), "data-error": `${id}-error`,
      "aria-describedby": `${help ? `${id}-help ` : ""}${id}-error`,
    };
    let control;
    if (kind === "select") {
      control = h("select", { ...common, onchange: () => set(control.value === "" ? undefined : control.value) }, chosen(options, now, empty));
    } else if (kind === "lines") {
      control = h("textarea", { ...common, class: "short", spellcheck: "false", oninput: () => set(typed(control.value, kind)) }, shown(now, kind));
    } else {
      control = h("input", {
        ...common, type: "text", inputmode: kind === "number" ? "decimal" : null, autocomplete: "off", spellcheck: "false",
        list, placeholder: example ? `e.g. ${example}` : null, value: shown(now, kind),
        oninput: () => set(typed(control.value, kind, bare)),
      });
    }
    return h("div", { class: "field" },
      h("label", { for: id }, label, unit ? h("span", { class: "unit" }, ` ${unit}`) : null),
      control,
      help ? h("p", { class: "help", id: `${id}-help` }, help) : null,
      more ? h("details", { class: "help" }, h("summary", {}, "Details"), more) : null,
      h("p", { class: "error", id: `${id}-error` }));
  }

  /** Boxes for the values of a list; all of them checked is the key left out, where `all` says so. */
  boxes({ path, label, options, help = "", all = true }) {
    const id = fresh("boxes");
    const listed = this.get(...path);
    const given = Array.isArray(listed) ? listed : all ? options.map(([value]) => value) : [];
    const box = ([value, title]) => h("label", { class: "box" }, h("input", { type: "checkbox", value, checked: given.includes(value), onchange: changed }), ` ${title}`);
    const changed = () => {
      const inputs = [...group.querySelectorAll("input")];
      const known = inputs.map((one) => one.value);
      const now = this.get(...path);
      const others = Array.isArray(now) ? now.filter((one) => !known.includes(one)) : [];
      const kept = [...others, ...inputs.filter((one) => one.checked).map((one) => one.value)];
      const whole = all && others.length === 0 && kept.length === known.length;
      this.set(path, whole || (!all && kept.length === 0) ? undefined : kept);
    };
    const group = h("fieldset", {
      class: "boxes", "data-place": path.join("."), "data-label": this.named(path, label), "data-error": `${id}-error`, "aria-describedby": `${help ? `${id}-help ` : ""}${id}-error`,
    }, h("legend", {}, label), help ? h("p", { class: "help", id: `${id}-help` }, help) : null, h("div", { class: "grid-boxes" }, options.map(box)), h("p", { class: "error", id: `${id}-error` }));
    return group;
  }

  /** A fieldset for a table of the file; what is wrong with the table as a whole is said in it. */
  table({ path, label, level = "part" }, ...children) {
    const id = fresh("table");
    return h("fieldset", { class: level, "data-place": path.join("."), "data-label": label, "data-error": `${id}-error`, "aria-describedby": `${id}-error` },
      h("legend", {}, label), h("p", { class: "error", id: `${id}-error` }), ...children);
  }

  /** The name of a field with that of the list element it is in: "oltp, Name". */
  named(path, label) {
    const index = path.findLastIndex((step) => typeof step === "number");
    const name = index < 0 ? undefined : this.get(...path.slice(0, index + 1), "name");
    return name === undefined ? label : `${name}, ${label}`;
  }
}

const chosen = (options, now, empty) => {
  const flat = options.flatMap((one) => one.options ?? [one]).map(([value]) => value);
  const given = now === undefined ? "" : String(now);
  const option = ([value, title]) => h("option", { value: String(value), selected: String(value) === given }, title);
  return [
    empty === null ? null : h("option", { value: "", selected: given === "" }, empty),
    given !== "" && !flat.map(String).includes(given) ? h("option", { value: given, selected: true }, `${given} (as given)`) : null,
    ...options.map((one) => (one.options ? h("optgroup", { label: one.title }, one.options.map(option)) : option(one))),
  ];
};

/** A button that adds or removes a part of the form. */
export const tool = (label, onclick, more = {}) => h("button", { type: "button", onclick, ...more }, label);

/** Copy a text; says so on the button. */
export const copyButton = (label, text) => {
  const button = tool(label, async () => {
    await navigator.clipboard.writeText(text());
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
};
