// The index shows the calculations and favourites that this device stores.

const shelf = document.getElementById("kept");

function listKept(key, heading) {
  const list = kept(key);
  if (list.length === 0) return;
  const section = document.createElement("section");
  section.setAttribute("aria-label", heading);
  const title = document.createElement("h2");
  title.textContent = heading;
  const items = document.createElement("ul");
  for (const { path, title: name, brief } of list) {
    const li = document.createElement("li");
    const a = document.createElement("a");
    a.href = path;
    a.textContent = name;
    li.append(a);
    if (typeof brief === "string") li.append(" " + brief);
    items.append(li);
  }
  const forget = document.createElement("button");
  forget.type = "button";
  forget.className = "quiet";
  forget.textContent = "Clear this list";
  forget.setAttribute("aria-label", "Clear this list: " + heading);
  forget.addEventListener("click", () => {
    keep(key, []);
    section.remove();
    question.focus();
  });
  section.append(title, items, forget);
  shelf.append(section);
}

listKept(FAVOURITES, "Favourites");
listKept(RECENT, "Recent calculations on this device");
