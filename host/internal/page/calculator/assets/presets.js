// Numbers that are rows of published tables.

const FROM_TABLE = "from the table"; // instead of a number that a row gives

// A row replaces a number, and a number replaces a row.
document.getElementById("calculator")?.addEventListener("input", (event) => {
  const form = event.currentTarget;
  const { name, dataset } = event.target;
  if ("preset" in dataset) {
    const number = form.elements.namedItem(name.replace(/\.preset$/, ""));
    if (number) {
      number.dataset.empty ??= number.placeholder === FROM_TABLE ? "" : number.placeholder;
      number.placeholder = event.target.value === "" ? number.dataset.empty : FROM_TABLE;
    }
    if (event.target.value === "") return;
    if (number) number.value = "";
    event.target.closest(".preset").querySelector(".figure")?.remove();
  } else if ("kind" in dataset && event.target.value !== "") {
    const row = form.elements.namedItem(name + ".preset");
    if (row?.value) {
      row.value = "";
      row.closest(".preset").querySelector(".figure")?.remove();
    }
  }
});
