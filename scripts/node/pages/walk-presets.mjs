// A person chooses materials and sections by name, with and without JavaScript.
import { AxeBuilder } from "@axe-core/playwright";
import { find } from "./browser.mjs";

const beam = "/calc/statics/simply-supported-uniform-load?length=4&uniform_load=5000";
const kept = { "elastic_modulus.preset": "data.materials.metals/S235@1.0.0", "second_moment_of_area.preset": "data.sections.european_i/IPE200@1.0.0" };

const deflection = async (page) => JSON.parse(await page.locator("#calculatorx-result").textContent()).result.delta;

function checkAddress(where, address) {
  const query = new URL(address).searchParams;
  for (const [name, row] of Object.entries(kept)) {
    if (query.get(name) !== row) find(where, `the address has ${name}=${query.get(name)}, not ${row}`);
  }
}

export async function walkPresets(open) {
  const answers = [];
  {
    const where = "presets, live";
    const { page, close } = await open({}, where, beam);
    await page.locator("[name=elastic_modulus]").fill("1");
    await page.locator("[name='elastic_modulus.preset']").fill("S235");
    if ((await page.locator("[name=elastic_modulus]").inputValue()) !== "") find(where, "a row that is chosen leaves the number beside it");
    await page.locator("[name='second_moment_of_area.preset']").fill("ipe 200");
    await page.waitForFunction(() => JSON.parse(document.getElementById("calculatorx-result")?.textContent ?? "{}").inputs?.elastic_modulus === 210e9, null, { timeout: 15000 })
      .catch((e) => find(where, e.message.split("\n")[0]));
    answers.push(await deflection(page));
    checkAddress(where, page.url());
    await page.reload();
    answers.push(await deflection(page));
    await page.locator("[name='elastic_modulus.preset']").fill("S236");
    await page.waitForFunction(() => /is in no table for this field/.test(document.getElementById("e-elastic_modulus").textContent), null, { timeout: 15000 })
      .catch(() => find(where, "a row that is not there has no explanation at its field"));
    if (await page.locator("#calculatorx-result").count()) find(where, "a row that is not there leaves a result");
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
  if (new Set(answers).size !== 1) find("presets", `one choice gives ${answers.join(", ")}`);
  {
    const where = "presets, one row for several fields";
    const { page, close } = await open({}, where, "/calc/columns/euler-johnson-column?length=3&elastic_modulus=210e9");
    await page.locator("[name=fill]").fill("IPE 200");
    for (const name of ["area", "second_moment_of_area"]) {
      if ((await page.locator(`[name='${name}.preset']`).inputValue()) !== "IPE 200") find(where, `${name} is not filled`);
    }
    await close();
  }
  {
    const where = "tables";
    const { page, close } = await open({ viewport: { width: 360, height: 800 } }, where, "/tables");
    await page.locator("[name=q]").fill("IPE 200");
    await page.keyboard.press("Enter");
    await page.getByRole("link", { name: "IPE 200", exact: true }).click();
    if ((await page.locator("svg.section").count()) !== 1) find(where, "the section has no picture");
    const { violations } = await new AxeBuilder({ page }).analyze();
    for (const v of violations) find(where, `axe ${v.id}: ${v.nodes[0].target}`);
    const wider = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wider > 1) find(where, `${wider} px wider than the window`);
    await close();
  }
}
