// Shows only the rows of result tables that have all words of a text. Without this script all rows are shown.
"use strict";
(() => {
  const field = document.getElementById("within");
  if (!field) return;
  const rows = [...document.querySelectorAll("figure.card tbody tr")];
  const texts = rows.map((row) => row.textContent.toLowerCase());
  const shown = document.getElementById("within-shown");
  field.parentElement.hidden = false;
  field.addEventListener("input", () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    rows.forEach((row, at) => {
      row.hidden = !words.every((word) => texts[at].includes(word));
      if (!row.hidden) left += 1;
    });
    shown.textContent = words.length ? `${left} of ${rows.length} rows` : "";
  });
})();
