// Chooses materials and sections by name, with and without JavaScript.
import { accessible, find, fits } from "./browser.mjs";

const beam = "/calc/statics/simply-supported-uniform-load?length=4&uniform_load=5000";
const kept = { "elastic_modulus.preset": "data.materials.metals/S235@1.0.0", "second_moment_of_area.preset": "data.sections.european_i/IPE200@2.0.0" };

const deflection = async (page) => JSON.parse(await page.locator("#calculatorx-result").textContent()).result.delta;

function checkAddress(where, address) {
  const query = new URL(address).searchParams;
  for (const [name, row] of Object.entries(kept)) {
    if (query.get(name) !== row) find(where, `the URL has ${name}=${query.get(name)}, not ${row}`);
  }
}

export async function walkPresets(open) {
  const answers = [];
  {
    const where = "presets, live";
    const { page, close } = await open({}, where, beam);
    await page.locator("[name=elastic_modulus]").fill("1");
    await page.locator("[name='elastic_modulus.preset']").fill("S235");
    if ((await page.locator("[name=elastic_modulus]").inputValue()) !== "") find(where, "a chosen row does not clear the number");
    await page.locator("[name='second_moment_of_area.preset']").fill("ipe 200");
    await page.waitForFunction(() => JSON.parse(document.getElementById("calculatorx-result")?.textContent ?? "{}").inputs?.elastic_modulus === 210e9, null, { timeout: 15000 })
      .catch((e) => find(where, e.message.split("\n")[0]));
    answers.push(await deflection(page));
    checkAddress(where, page.url());
    await page.reload();
    answers.push(await deflection(page));
    await page.locator("[name='elastic_modulus.preset']").fill("S236");
    await page.waitForFunction(() => /is not in a table for this field/.test(document.getElementById("e-elastic_modulus").textContent), null, { timeout: 15000 })
      .catch(() => find(where, "an unknown row has no error at its field"));
    if (await page.locator("#calculatorx-result").count()) find(where, "an unknown row leaves a result");
    await close();
  }
  {
    const where = "presets, without JavaScript";
    const { page, close } = await open({ javaScriptEnabled: false }, where, beam);
    await page.locator("[name='elastic_modulus.preset']").fill("S235");
    await page.locator("[name='second_moment_of_area.preset']").fill("IPE200");
    await page.locator("button.primary").click();
    answers.push(await deflection(page));
    await close();
  }
  if (new Set(answers).size !== 1) find("presets", `the same choice gives different results: ${answers.join(", ")}`);
  // One row for the whole form. The server selects the fields for it.
  const column = "/calc/columns/euler-johnson-column?length=3&elastic_modulus=210e9";
  const cable = "/calc/circuits/voltage-drop?circuit=ac_single_phase&current=16&length=36.576&source_voltage=120";
  const filled = [
    [column, "ipe200", ["area", "second_moment_of_area"], "IPE 200"],
    [column, "W12×26", ["area", "second_moment_of_area"], "W 12 x 26"],
    [cable, "awg 12", ["resistance_per_length"], "AWG12"],
    ["/calc/fluids/reynolds-number?velocity=1&characteristic_length=0.1", "water at 20 °C", ["density", "dynamic_viscosity"], "Water at 20 °C"],
  ];
  for (const javaScriptEnabled of [true, false]) {
    const { page, go, close } = await open({ javaScriptEnabled }, "presets, filled", column);
    for (const [address, row, fields, shown] of filled) {
      const where = `presets, filled from ${row}, with${javaScriptEnabled ? "" : "out"} JavaScript`;
      await go(where, address);
      await page.locator("[name=fill]").fill(row);
      await page.keyboard.press("Enter");
      await page.locator("#calculatorx-result").waitFor({ state: "attached", timeout: 15000 }).catch(() => find(where, "there is no result"));
      const chosen = Object.fromEntries(await page.locator("[data-preset]").evaluateAll((list) => list.filter((e) => e.value !== "").map((e) => [e.name.replace(".preset", ""), e.value])));
      if (JSON.stringify(chosen) !== JSON.stringify(Object.fromEntries(fields.map((name) => [name, shown])))) find(where, `filled ${JSON.stringify(chosen)}`);
    }
    await close();
  }
  {
    const where = "presets, a row that is not there";
    const { page, close } = await open({}, where, column);
    await page.locator("[name=fill]").fill("IPE 205");
    await page.keyboard.press("Tab");
    await page.waitForFunction(() => /is not in a table for this form; the nearest are IPE200/.test(document.getElementById("e-fill").textContent), null, { timeout: 15000 })
      .catch(() => find(where, "the field has no error"));
    const marked = await page.locator("[aria-invalid]").evaluateAll((list) => list.map((e) => e.name));
    if (marked.join() !== "fill") find(where, `marked are ${marked}`);
    if ((await page.locator("[name=fill]").inputValue()) !== "IPE 205") find(where, "the typed text is gone");
    await close();
  }
  {
    const where = "tables";
    const { page, close } = await open({ viewport: { width: 360, height: 800 } }, where, "/tables");
    await page.locator("[name=q]").fill("IPE 200");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "IPE 200", exact: true }).click();
    if ((await page.locator("svg.section").count()) !== 1) find(where, "the section has no drawing");
    await accessible(where, page);
    await fits(where, page);
    await close();
  }
}
