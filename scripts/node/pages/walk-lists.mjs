// Looks at calculators with lists and tables of values, and at others with much in their forms: nothing leaves the screen, its
// card or the paper, and rows have the names and units of their values.
import { find } from "./browser.mjs";

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

// tooWide returns the elements that reach beyond the window, or beyond the sheet that they are on. What is in something that
// scrolls by itself may be wider than that.
const tooWide = () => {
  const scrolls = (e) => e !== document.body && e !== document.documentElement && ["auto", "scroll", "hidden"].includes(getComputedStyle(e).overflowX);
  const within = (e) => e && (scrolls(e) || within(e.parentElement));
  const found = [];
  for (const e of document.body.querySelectorAll("*")) {
    const box = e.getBoundingClientRect();
    if (box.width === 0 || box.height === 0 || e.closest(".unseen, .skip, .peek, caption, svg") || within(e.parentElement)) continue;
    const edge = e.closest(".paper")?.getBoundingClientRect().right ?? innerWidth;
    if (box.right > Math.min(edge, innerWidth) + 1 || box.left < -1) found.push(`${e.tagName.toLowerCase()}.${e.className.baseVal ?? e.className} to ${Math.round(box.right)} of ${Math.round(Math.min(edge, innerWidth))}`);
  }
  if (matchMedia("screen").matches && document.documentElement.scrollWidth > innerWidth) found.push(`the page is ${document.documentElement.scrollWidth} px wide`);
  return found.slice(0, 4);
};

export async function walkLists(open) {
  for (const [name, path] of Object.entries(pages)) {
    const { page, close } = await open({}, `lists, ${name}`, path);
    if ((await page.locator("#calculatorx-result").count()) !== 1) find(`lists, ${name}`, "there is no result");
    for (const [width, media] of [[390, "screen"], [1280, "screen"], [688, "print"]]) { // 688 px are the width of A4 between its margins
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ media });
      for (const one of await page.evaluate(tooWide)) find(`lists, ${name}, ${width} px, ${media}`, one);
    }
    await close();
  }
  const { page, close } = await open({}, "lists", pages.wall);
  const heads = (part) => page.locator(`${part} .listing thead`).evaluateAll((list) => list.map((e) => [...e.querySelectorAll("th")].map((th) => th.textContent.replace(/\s+/g, " ").trim()).join(" | ")));
  const entered = (await heads(".given"))[0], worked = (await heads(".steps"))[0];
  if (!/^Thickness .* in \| Conductivity .* Btu \(IT\)\/\(h·ft·°F\)$/.test(entered)) find("lists", `the rows are under ${entered}`);
  if (!/^Thickness .* m \| Conductivity .* W\/\(m·K\)$/.test(worked)) find("lists", `the rows of the steps are under ${worked}`);
  await close();
}
