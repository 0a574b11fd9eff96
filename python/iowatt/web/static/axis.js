// Logarithmic axes: the range that a chart shows, and the marks on it.

const LEAST_PAD = 0.05; // decades on each side
const FINE = [1, 1.5, 2, 3, 4, 5, 7];
const COARSE = [1, 2, 5];

/** The range of some values in powers of ten, with room on both sides. */
export const range = (values) => {
  const powers = values.filter((one) => one > 0 && Number.isFinite(one)).map(Math.log10);
  if (!powers.length) return [0, 1];
  const low = powers.reduce((a, b) => Math.min(a, b));
  const high = powers.reduce((a, b) => Math.max(a, b));
  const pad = Math.max(LEAST_PAD, 0.07 * (high - low));
  return [low - pad, high + pad];
};

const decades = ([low, high], steps) => {
  const made = [];
  for (let power = Math.floor(low); power <= high; power += 1) made.push(...steps.map((step) => step * 10 ** power));
  return made;
};

/** Multiples of the least 1, 2 or 5 that gives at most seven of them. */
const multiples = ([low, high]) => {
  const [from, to] = [10 ** low, 10 ** high];
  const power = 10 ** Math.floor(Math.log10((to - from) / 7));
  const step = [1, 2, 5, 10].map((one) => one * power).find((one) => (to - from) / one <= 7);
  return Array.from({ length: 9 }, (_, number) => (Math.ceil(from / step) + number) * step);
};

/** Marks inside a range of powers of ten, as values and as full numbers: never fewer than three. */
export const marks = (span) => {
  const wide = span[1] - span[0];
  const some = wide > 5 ? decades(span, [1]) : wide >= 1.2 ? decades(span, COARSE) : wide > 0.6 ? decades(span, FINE) : multiples(span);
  const tickvals = some.filter((one) => Math.log10(one) >= span[0] && Math.log10(one) <= span[1]).map((one) => Number(one.toPrecision(6)));
  return { tickvals, ticktext: tickvals.map((one) => one.toLocaleString("en-US", { maximumSignificantDigits: 6 })) };
};
