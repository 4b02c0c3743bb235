// Proposes the bracket of the chosen input.

const form = document.querySelector("form.goal");
const unknown = form?.querySelector('[name="study.unknown"]');
const ends = ["from", "to"].map((name) => form?.querySelector('[name="study.' + name + '"]'));

function propose() {
  const { from = "", to = "" } = unknown.selectedOptions[0].dataset;
  [from, to].forEach((text, i) => { ends[i].value = text; });
}

unknown?.addEventListener("change", propose);
if (unknown && ends.every((e) => e.value === "")) propose();
