// Elements, numbers and messages. Text is always set as text, never as markup.

/** An element: `h("button", { class: "tool", onclick }, "Run")`; children are elements or texts. */
export const h = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (name in made && !["list", "form", "type", "role"].includes(name) && typeof value !== "string") made[name] = value;
    else made.setAttribute(name === "class" ? "class" : name, value === true ? "" : value);
  }
  return fill(made, ...children);
};

/** Replace what an element holds; lists are flattened, and null, undefined and false are left out. */
export const fill = (element, ...children) => {
  element.replaceChildren(...children.flat(Infinity).filter((child) => ![null, undefined, false, ""].includes(child)));
  return element;
};

export const byId = (id) => document.getElementById(id);

/** A number with four significant digits, as the reports print it; a dash where it is not known. */
export const number = (value, digits = 4) => {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size >= 10 ** digits) return Math.round(value).toLocaleString("en-US");
  return Number(value.toPrecision(digits)).toLocaleString("en-US", { maximumSignificantDigits: digits });
};

export const unit = (value, name) => (value === null || value === undefined ? "–" : `${number(value)}\u00a0${name}`);
export const usd = (value) => (value === null || value === undefined ? "–" : `$${number(value)}`);

/** Say something to everybody, those who listen to the page included. */
export const say = (text, kind = "") => {
  const status = byId("status");
  status.textContent = text;
  status.dataset.kind = kind;
};

/** Show an error at the foot of the page, with what mends it. */
export const complain = (error) => {
  if (error.name === "AbortError") return;
  say([error.place, error.message, error.hint && `Hint: ${error.hint}`].filter(Boolean).join(": "), "error");
};

/** `run` after `ms` without another call. */
export const debounced = (run, ms) => {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => run(...values), ms);
  };
};

/** Save text as a file. */
export const save = (name, text, type = "text/plain") => {
  const link = h("a", { href: URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
};

/** Make a button act on the second press: the first shows `ask()`, the second runs `run()`. Losing focus resets it. */
export const confirmed = (button, ask, run) => {
  const text = button.textContent;
  const disarm = () => { button.dataset.armed = ""; button.textContent = text; };
  button.addEventListener("blur", disarm);
  button.addEventListener("click", async () => {
    if (button.dataset.armed !== "yes") {
      button.dataset.armed = "yes";
      button.textContent = ask();
      return;
    }
    await run().then(disarm, complain);
  });
  return button;
};
