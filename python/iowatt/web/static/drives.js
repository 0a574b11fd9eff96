// A list of the drives that a design can be changed to, by class.
import { get } from "./api.js";
import { complain, h } from "./dom.js";

let menu = null;

/** A select of drives; it has the design's own drive at once and the others when they are known. */
export const driveSelect = (own, attributes) => {
  const made = h("select", attributes, h("option", { value: own }, own));
  menu ??= get("/api/whatif/drives");
  menu.then(({ groups }) => {
    const { value } = made;
    const known = groups.some(({ drives }) => drives.some(({ name }) => name === own));
    made.replaceChildren(
      ...(known ? [] : [h("option", { value: own }, own)]),
      ...groups.map(({ title, drives }) => h("optgroup", { label: title }, drives.map((one) => h("option", { value: one.name }, one.title)))),
    );
    made.value = value;
  }, (error) => { menu = null; complain(error); });
  return made;
};
