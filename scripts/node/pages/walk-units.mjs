// Checks the units of the reader: scripts do not change the numbers, the URL restores the units, and the device
// stores the system.
import { cantilever, find } from "./browser.mjs";

const where = "units";
const feet = cantilever.split("?")[0] + "?length=20&length.unit=ft&elastic_modulus=29000&elastic_modulus.unit=ksi&second_moment_of_area=300&second_moment_of_area.unit=in4&triangle_peak_load=0.6&triangle_peak_load.unit=kip%2Fft";

export async function walkUnits(base, open) {
  const hero = (page) => page.locator(".hero.first .value .unit").textContent();
  const results = (page) => page.locator("#result table").first().innerText();
  const until = (page, unit) => page.waitForFunction((u) => document.querySelector(".hero.first .value .unit")?.textContent === u && !document.querySelector("#sheet[aria-busy]"), unit, { timeout: 15000 })
    .catch(() => find(where, `the result is not in ${unit}`));

  const { page, close } = await open({}, where, feet);
  if ((await hero(page)) !== "in") find(where, `feet give ${await hero(page)}`);
  const answer = () => page.locator("#calculatorx-result").textContent();
  const before = await answer();

  // Select the system by keyboard, and a unit for one result.
  await page.locator("[name=units]:checked").focus();
  await page.keyboard.press("ArrowRight");
  await until(page, "mm");
  await page.locator("select.shown-in").first().selectOption("cm");
  await until(page, "cm");
  const address = new URL(page.url());
  if (address.searchParams.get("units") !== "metric" || address.searchParams.get("delta.unit") !== "cm") find(where, `the URL is ${address}`);
  if ((await answer()) !== before) find(where, "the response of the API has changed");
  const live = await results(page);

  // Open another page on this device, and a URL with another system.
  const path = "/calc/fluids/pipe-pressure-drop";
  await page.goto(base + path);
  const state = () => page.evaluate(() => [document.querySelector("[name=units]:checked").value, document.querySelector("[name='roughness.unit']").value, document.querySelector("#h-roughness [data-example]").textContent].join(" "));
  if ((await state()) !== "metric mm 0.045 mm") find(where, `the stored system gives ${await state()}`);
  await page.locator("[name='roughness.unit']").selectOption("um");
  if (!(await state()).endsWith("45 µm")) find(where, `the hint is ${await state()}`);
  await page.goto(base + path + "?units=us");
  if (!(await state()).startsWith("us in 0.00177 in")) find(where, `the URL gives ${await state()}`);
  await page.goto(base + "/calc/electrical/ohms-law?V=12&R=8000");
  await page.locator("[name='current.unit']").selectOption("uA");
  await page.waitForFunction(() => /1500\s+µA/.test(document.querySelector("#result table").innerText), null, { timeout: 15000 })
    .catch(() => find(where, "the unit of an empty field is not the unit of its result"));
  await close();

  // Without scripts, the form switches between the systems.
  const plain = await open({ javaScriptEnabled: false }, where, address.pathname + address.search);
  if ((await results(plain.page)) !== live) find(where, `without scripts\n${await results(plain.page)}\nwith scripts\n${live}`);
  await plain.page.locator("select.shown-in").first().selectOption({ value: "" });
  await plain.page.locator("[name=units][value=us]").check();
  await plain.page.locator("#calculator .buttons button").first().click();
  await plain.page.waitForURL(/[?&]units=us(&|$)/);
  if ((await hero(plain.page)) !== "in") find(where, `a form without scripts gives ${await hero(plain.page)}`);
  await plain.page.goto(base + address.pathname + address.search.replace("delta.unit=cm", "delta.unit=kN"));
  if (await plain.page.locator("#result").count() || !(await plain.page.locator("#unclear").count())) find(where, "the page accepts a unit of another quantity");
  await plain.close();
}
