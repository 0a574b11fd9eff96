// Names beside the marks of a chart, where they cover neither a mark nor another name.

const LETTER = 6.4; // px of a letter of 11 px type, on average
const LINE = 14;
const SIDES = ["middle right", "middle left", "top center", "bottom center"];

/** The box of a text beside a mark, as [left, top, right, bottom] in px. */
const box = ({ x, y, size }, width, side) => {
  const gap = size / 2 + 3;
  if (side === "middle right") return [x + gap, y - LINE / 2, x + gap + width, y + LINE / 2];
  if (side === "middle left") return [x - gap - width, y - LINE / 2, x - gap, y + LINE / 2];
  const top = side === "top center" ? y - gap - LINE : y + gap;
  return [x - width / 2, top, x + width / 2, top + LINE];
};

const meet = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];

const cut = (text, most) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

/**
 * For each mark `{x, y, size, name}` in px its `{text, side}`; the text is empty where there is no room.
 * `taken` are boxes that no name may cover.
 */
export const placed = (at, { width, height, taken = [] }) => {
  const most = width < 500 ? 14 : 26;
  const full = [...taken, ...at.map(({ x, y, size }) => [x - size / 2, y - size / 2, x + size / 2, y + size / 2])];
  return at.map((mark) => {
    const text = cut(mark.name, most);
    for (const side of SIDES) {
      const one = box(mark, LETTER * text.length, side);
      const outside = one[0] < 0 || one[1] < 0 || one[2] > width || one[3] > height;
      if (outside || full.some((other) => meet(one, other))) continue;
      full.push(one);
      return { text, side };
    }
    return { text: "", side: SIDES[0] };
  });
};

/** Names that tell marks apart: the name, or the folder where several have the same name. */
export const names = (rows, points) => {
  const count = new Map();
  for (const row of rows) count.set(points.name[row], (count.get(points.name[row]) ?? 0) + 1);
  return new Map(rows.map((row) => [row, count.get(points.name[row]) > 1 ? points.path[row].split("/").at(-1) : points.name[row]]));
};
