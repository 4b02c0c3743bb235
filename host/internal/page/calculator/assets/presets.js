// Numbers that are rows of published tables.

// A row replaces a number, and a number replaces a row.
document.getElementById("calculator")?.addEventListener("input", (event) => {
  const form = event.currentTarget;
  const { name, dataset } = event.target;
  if ("preset" in dataset && event.target.value !== "") {
    const number = form.elements.namedItem(name.replace(/\.preset$/, ""));
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
