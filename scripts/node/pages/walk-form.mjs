// Checks typed texts: the page understands units, arithmetic and rows. The result appears without a click, and stays
// while the reader types.
import { find } from "./browser.mjs";

const where = "form";
const ohm = "/calc/electrical/ohms-law";

// result waits for a result on the sheet, and returns it.
const result = async (page) => {
  await page.waitForFunction(() => document.getElementById("calculatorx-result") && !document.querySelector("#sheet[aria-busy]"), null, { timeout: 15000 })
    .catch((e) => find(where, `no result at ${page.url()}: ${e.message}`));
  return JSON.parse((await page.locator("#calculatorx-result").textContent({ timeout: 15000 }).catch(() => "")) || "{}");
};

const told = (page, text) => page.waitForFunction((t) => document.getElementById("outdated").innerText.includes(t), text, { timeout: 15000 })
  .catch(() => find(where, `the sheet does not show “${text}”`));

export async function walkForm(base, open) {
  await typing(base, open);
  await rows(base, open);
  await narrow(open);
}

// On a new page, with only number keys and Tab.
async function typing(base, open) {
  const { page, close } = await open({ viewport: { width: 1280, height: 768 } }, where, ohm);
  await page.locator("[name=voltage]").focus();
  await page.keyboard.type("1,5e3 mV");
  for (let i = 0; i < 20 && (await page.evaluate(() => document.activeElement.name)) !== "resistance"; i++) await page.keyboard.press("Tab");
  await page.keyboard.type("2*3");
  const first = await result(page);
  if (first.result?.current !== 0.25) find(where, `1500 mV across 6 ohm give ${first.result?.current}`);
  const shown = await page.evaluate(() => ["voltage", "voltage.unit"].map((name) => document.getElementsByName(name)[0].value).join(" ") +
    "|" + document.getElementById("n-voltage").textContent + "|" + document.getElementById("n-resistance").textContent);
  if (shown !== "1,5e3 mV|Understood as 1.5e3 mV.|Understood as 6 Ω.") find(where, `the form shows ${shown}`);
  const restored = await fetch(page.url()).then((r) => r.text());
  if (!restored.includes('"current":0.25')) find(where, `${page.url()} does not restore the result`);

  // The old result stays while a field is empty or wrong, and its buttons are disabled.
  const before = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.locator("[name=resistance]").fill("");
  await told(page, "The result below belongs to the previous inputs.");
  const dimmed = await page.evaluate(() => ({
    height: document.documentElement.scrollHeight,
    machine: document.querySelectorAll("#calculatorx-result, #slipstick-read").length + document.getElementById("calculatorx-jsonld").textContent.includes('"Action"'),
    busy: document.getElementById("sheet").getAttribute("aria-busy"), figure: document.querySelector(".hero .figure").textContent,
    usable: [...document.querySelectorAll("#sheet button")].filter((b) => !b.disabled).length,
  }));
  if (Math.abs(dimmed.height - before) > 100) find(where, `the page changes from ${before} to ${dimmed.height} px`);
  if (dimmed.machine || dimmed.busy !== "true" || dimmed.figure !== "250" || dimmed.usable) find(where, `the previous result has ${JSON.stringify(dimmed)}`);
  await page.locator("[name=resistance]").fill("1,234");
  await told(page, "“1,234” has two readings, 1.234 and 1234. Write 1.234, or 1234.");
  await page.locator("[name=resistance]").fill("3/8");
  if ((await result(page)).result?.current !== 4) find(where, "the new result does not replace the previous result");

  // The button is visible at every scroll position, and the form does not scroll by itself.
  for (const y of [0, 700, 2000]) {
    await page.evaluate((to) => scrollTo(0, to), y);
    const box = await page.locator(".buttons .primary").boundingBox();
    if (!box || box.y < 0 || box.y + box.height > 768) find(where, `at ${y} px the button is at ${box?.y} px`);
  }
  if (await page.evaluate(() => getComputedStyle(document.getElementById("calculator")).overflowY !== "visible")) find(where, "the form scrolls by itself");
  await close();
}

async function rows(base, open) {
  const wall = "/calc/thermo/wall-heat-loss?temperature_hot=293&temperature_cold=273";
  const pasted = "Thickness\tConductivity\n100\t0,5\n50\t0,04\n10\t0,2\n10\t0,2\n10\t0,2\n";
  const { page, close } = await open({ permissions: ["clipboard-read", "clipboard-write"] }, where, wall);
  await page.locator("[name='layers.thickness.unit']").selectOption("mm");
  await page.locator("[name='layers.thickness']").first().focus();
  await page.evaluate((text) => navigator.clipboard.writeText(text), pasted);
  await page.keyboard.press("Control+V");
  const got = await result(page);
  const layers = got.inputs?.layers?.map((l) => [l.thickness, l.conductivity].join(" ")).join("; ");
  if (layers !== "0.1 0.5; 0.05 0.04; 0.01 0.2; 0.01 0.2; 0.01 0.2") find(where, `the pasted rows are ${layers}`);
  if (!(await page.locator(".pasted").innerText()).includes("5 rows pasted. The first line, “Thickness, Conductivity”, was skipped")) find(where, "the page has no message about the pasted rows");
  await page.getByRole("button", { name: "Remove row 5" }).click();
  await page.waitForFunction(() => JSON.parse(document.getElementById("calculatorx-result")?.textContent ?? "{}").inputs?.layers?.length === 4, null, { timeout: 15000 })
    .catch(() => find(where, "a removed row is still there"));
  const address = page.url();
  const value = (await result(page)).result?.u_value;
  await close();

  // The URL has the rows in one key, and restores the table without a script.
  if (new URL(address).searchParams.get("layers") !== "100 0.5; 50 0.04; 10 0.2; 10 0.2") find(where, `the URL is ${address}`);
  const still = await open({ javaScriptEnabled: false }, where, address.slice(base.length));
  if ((await result(still.page)).result?.u_value !== value) find(where, "without a script the rows give another result");
  const cells = still.page.locator("[name='layers.thickness']");
  await cells.nth(0).fill("200");
  await still.page.getByRole("button", { name: "Calculate", exact: true }).click();
  await still.page.waitForURL(/layers=200/); // the previous page has a result too
  const changed = await result(still.page);
  if (changed.inputs?.layers?.[0].thickness !== 0.2 || changed.inputs.layers.length !== 4) find(where, `without a script the rows are ${JSON.stringify(changed.inputs?.layers)}`);
  await still.close();
}

async function narrow(open) {
  const { page, close } = await open({ viewport: { width: 360, height: 768 } }, where, "/calc/circuits/voltage-drop");
  const box = await page.locator(".buttons .primary").boundingBox();
  if (!box || box.y + box.height > 768) find(where, `at 360 px the button is at ${box?.y} px`);
  const choices = await page.locator("fieldset.tabs label").allInnerTexts();
  if (choices.join() !== "DC,AC single phase,AC three phase,Not given,Line to line,Line to neutral") find(where, `the choices are ${choices}`);
  await close();
}
