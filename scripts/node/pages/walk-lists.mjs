// Checks calculators with lists and tables of values, and calculators with long forms. No element leaves the screen, its
// card or the paper. Rows have the names and units of their values.
import { accessible, find } from "./browser.mjs";

const layers = "layers=0.5+0.0925;+3.5+0.0225;+0.5+0.068&layers.thickness.unit=in&layers.conductivity.unit=Btu_it%2F(h+ft+degF)";
const pages = {
  wall: `/calc/thermo/wall-heat-loss?units=us&temperature_hot=70&temperature_hot.unit=degF&temperature_cold=10&temperature_cold.unit=degF&area=100&area.unit=ft2&${layers}`,
  pipe: `/calc/thermo/pipe-heat-loss?units=us&inner_diameter=2&inner_diameter.unit=in&length=10&length.unit=ft&temperature_inner=200&temperature_inner.unit=degF&temperature_outer=60&temperature_outer.unit=degF&${layers}`,
  polygon: "/calc/sections/polygon-section?vertices=0+0;200.00000000000003+0;200+20;20+20;20+150;0+150&vertices.unit=mm&steps=1",
  long: `/calc/sections/polygon-section?vertices=${Array.from({ length: 40 }, (_, i) => `${Math.cos(i * Math.PI / 20)}+${Math.sin(i * Math.PI / 20)}`).join(";")}`,
  numbers: `/calc/statistics/summary-statistics?data=${Array.from({ length: 60 }, (_, i) => 10 + i / 7).join("+")}`,
  pairs: "/calc/statistics/linear-regression?x=1+2+3+4&y=1.1+1.9+3.2+4.00000000000001",
  resistors: "/calc/circuits/parallel-resistance?resistances=10+22+4700&resistances.unit=kohm",
  cable: "/calc/circuits/voltage-drop?circuit=ac_single_phase&current=16&length=120&length.unit=ft&source_voltage=120&resistance_per_length.preset=AWG12&units=us",
};

// states are pages without a result, and pages about a result.
const beam = "length=6&uniform_load=5000&elastic_modulus=210e9&second_moment_of_area=8e-5";
const states = {
  empty: "/calc/circuits/voltage-drop", faults: "/calc/statics/simply-supported-uniform-load?length=-1&uniform_load=abc",
  check: `/calc/steel/steel-bolt?${bolt(90)}`, broken: `/calc/steel/steel-bolt?${bolt(900)}`,
  goal: `/calc/statics/simply-supported-uniform-load/study?${beam}&study.kind=goal_seek&study.unknown=second_moment_of_area&study.output=delta&study.goal=10+mm`,
  uncertain: `/calc/statics/simply-supported-uniform-load/study?${beam}&study.kind=sensitivity&study.output=delta`,
  rows: "/calc/statics/simply-supported-uniform-load/rows", table: "/tables/data.sections.american_w", row: "/tables/data.sections.european_i/IPE200",
  home: "/", group: "/calc/statics", search: "/?q=voltage+drop",
  docs: "/docs", manual: "/docs/start/document-author", found: "/docs?q=pin", reference: "/docs/api",
};

const judged = ["empty", "check", "broken", "goal", "docs", "manual", "found"]; // by axe; other walks check other pages

function bolt(kilonewtons) {
  return `force=${kilonewtons}&force.unit=kN&size=M20&hole_diameter=22&hole_diameter.unit=mm&thickness=20&thickness.unit=mm&tensile_strength=470&tensile_strength.unit=MPa&end_distance=70&end_distance.unit=mm&edge_distance=55&edge_distance.unit=mm`;
}

// tooWide returns elements that are wider than the window or their sheet. Elements in a scroll container may be wider.
const tooWide = () => {
  const scrolls = (e) => ["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX);
  const within = new Set(); // elements in a scroll container, parents first
  const edges = new Map([...document.querySelectorAll(".paper")].map((e) => [e, e.getBoundingClientRect().right]));
  const found = [];
  for (const e of document.body.querySelectorAll("*")) {
    const parent = e.parentElement;
    if (parent !== document.body && (within.has(parent) || scrolls(parent))) {
      within.add(e);
      continue;
    }
    const box = e.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || e.closest(".unseen, .skip, .peek, caption, svg")) continue;
    const edge = edges.get(e.closest(".paper")) ?? innerWidth;
    if (box.right > Math.min(edge, innerWidth) + 1 || box.left < -1) found.push(`${e.tagName.toLowerCase()}.${e.className.baseVal ?? e.className} to ${Math.round(box.right)} of ${Math.round(Math.min(edge, innerWidth))}`);
  }
  if (matchMedia("screen").matches && document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  return found.slice(0, 4);
};

// unfold opens the parts that are closed on a phone.
const unfold = () => { for (const e of document.querySelectorAll(".fold[aria-expanded=false]")) e.click(); };

export async function walkLists(open, snapshot) {
  let folds = 0;
  const { page, go, close } = await open({}, "lists", pages.wall);
  for (const [name, path] of Object.entries(pages)) {
    await go(`lists, ${name}`, path);
    await page.evaluate(() => { for (const e of document.querySelectorAll("details:not(.print-form)")) e.open = true; });
    if ((await page.locator("#calculatorx-result").count()) !== 1) find(`lists, ${name}`, "there is no result");
    for (const [width, media] of [[390, "screen"], [1280, "screen"], [688, "print"]]) { // 688 px are the width of A4 between its margins
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ media });
      await page.evaluate(unfold);
      for (const one of await page.evaluate(tooWide)) find(`lists, ${name}, ${width} px, ${media}`, one);
    }
  }
  await page.emulateMedia({ media: "screen" });
  await page.setViewportSize({ width: 390, height: 900 });
  for (const [name, path] of [...Object.entries(states), ["snapshot", snapshot]]) {
    const where = `states, ${name}`;
    await go(where, path);
    if (await page.locator(".fold[aria-expanded=false]").count()) folds++;
    await page.evaluate(() => { for (const e of document.querySelectorAll("details")) e.open = true; });
    await page.evaluate(unfold);
    for (const one of await page.evaluate(tooWide)) find(`${where}, 390 px`, one);
    if (judged.includes(name)) await accessible(where, page);
  }
  if (folds < 4) find("states", `a phone closes parts of ${folds} pages`);
  await checks(open);
  await phone(open);
  await go("lists", pages.wall);
  const heads = (part) => page.locator(`${part} .listing thead`).evaluateAll((list) => list.map((e) => [...e.querySelectorAll("th")].map((th) => th.textContent.replace(/\s+/g, " ").trim()).join(" | ")));
  const entered = (await heads(".given"))[0], worked = (await heads(".steps"))[0];
  for (const [part, shown] of [["inputs", entered], ["steps", worked]]) {
    if (!/^Thickness .* in \| Conductivity .* Btu\/\(h·ft·°F\)$/.test(shown)) find("lists", `the rows of the ${part} are under ${shown}`);
  }
  await close();
}

// On a phone, a page with a result is short, because its parts are closed. A click, a key or a link opens them. Paper and
// larger screens show all parts.
async function phone(open) {
  const where = "phone";
  const { page, close } = await open({ viewport: { width: 390, height: 844 } }, where, `/calc/statics/simply-supported-uniform-load?${beam}`);
  const high = await page.evaluate(() => document.documentElement.scrollHeight);
  if (high > 6000) find(where, `the page is ${high} px high`);
  const steps = page.locator(".steps ol");
  if (await steps.isVisible()) find(where, "the steps are open");
  await page.locator(".steps .fold").press("Enter");
  if (!(await steps.isVisible())) find(where, "Enter does not open the steps");
  await page.locator('a[href="#worth"]').click();
  if (!(await page.locator("#worth .digests").isVisible())) find(where, "a link to a closed part does not open it");
  await page.locator("[name=length]").fill("5");
  await page.waitForFunction(() => JSON.parse(document.getElementById("calculatorx-result")?.textContent ?? "{}").inputs?.length === 5 && document.querySelector(".steps .fold"), null, { timeout: 15000 })
    .catch(() => find(where, "there is no new result"));
  if (!(await steps.isVisible()) || (await page.locator(".assumed li").first().isVisible())) find(where, "a new result does not keep open parts");
  await page.emulateMedia({ media: "print" });
  if (!(await page.locator(".assumed li").first().isVisible())) find(where, "a part is closed on paper");
  await page.emulateMedia({ media: "screen" });
  await page.setViewportSize({ width: 1280, height: 900 });
  if (!(await page.locator(".assumed li").first().isVisible()) || (await page.locator(".fold").count())) find(where, "a part is closed on a large screen");
  await close();
}

// A check appears next to the result in words. The blank page shows a plot of the example. A goal proposes its bracket.
async function checks(open) {
  for (const [state, said] of [["check", "Passes Utilization 0.956633, at most 1"], ["broken", "Fails Utilization 9.56633, at most 1"]]) {
    const { page, close } = await open({}, `checks, ${state}`, states[state]);
    const shown = (await page.locator(".check").innerText()).replace(/\s+/g, " ").trim();
    if (shown !== said) find(`checks, ${state}`, `the badge reads ${shown}`);
    if ((await page.locator(".actions .primary").count()) !== 1) find(`checks, ${state}`, "there is not one primary action");
    await close();
  }
  const empty = await open({}, "example", "/calc/statics/simply-supported-uniform-load");
  if ((await empty.page.locator(".example svg").count()) !== 1) find("example", "there is no plot before a result");
  const first = await empty.page.locator(".example").boundingBox();
  if (!first || first.y > 768) find("example", `the plot is at ${first?.y} px`);
  // After Calculate, the page scrolls to the headline of the result.
  await empty.page.setViewportSize({ width: 1280, height: 600 });
  for (const [name, text] of [["length", "6"], ["uniform_load", "5000"], ["elastic_modulus", "210e9"], ["second_moment_of_area", "8e-5"]]) await empty.page.locator(`[name=${name}]`).fill(text);
  await empty.page.evaluate(() => scrollTo(0, 900));
  await empty.page.getByRole("button", { name: "Calculate", exact: true }).click();
  await empty.page.waitForFunction(() => {
    const box = document.querySelector(".heroes")?.getBoundingClientRect();
    return box && box.top >= 0 && box.bottom <= innerHeight;
  }, null, { timeout: 15000 }).catch(() => find("example", "after Calculate the headline is not in view"));
  await empty.close();
  const goal = await open({}, "goal", `/calc/statics/simply-supported-uniform-load/study?${beam}`);
  const ends = () => goal.page.locator('[name="study.from"], [name="study.to"]').evaluateAll((list) => list.map((e) => e.value).join(" to "));
  if ((await ends()) !== "0.6 m to 60 m") find("goal", `the bracket is ${await ends()}`);
  await goal.page.locator('[name="study.unknown"]').selectOption("uniform_load");
  if ((await ends()) !== "500 N/m to 50000 N/m") find("goal", `for the load the bracket is ${await ends()}`);
  await goal.close();
}
