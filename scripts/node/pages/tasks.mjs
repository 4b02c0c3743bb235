// Runs twelve tasks of an engineer and counts their actions. An action is a click, a key, a choice in a menu, or a
// text for the field with the focus. It also measures the script and layout time of the first result.
import { conclude, find, launch, compareWithFirst, older } from "./browser.mjs";

const base = process.argv[2];
const browser = await launch();
const beam = "/calc/statics/simply-supported-uniform-load";
const given = `${beam}?length=4&uniform_load=5000&elastic_modulus=210e9&second_moment_of_area=1.943e-5`;
const told = [];

// Hand acts on a page like a person, and counts the actions.
class Hand {
  actions = 0;
  constructor(page) { this.page = page; }
  async click(what) { this.actions++; await (typeof what === "string" ? this.page.locator(what) : what).first().click(); }
  async type(text) { this.actions++; await this.page.keyboard.type(text); }
  async press(key) { this.actions++; await this.page.keyboard.press(key); }
  async choose(where, value) { this.actions++; await this.page.locator(where).first().selectOption(value); }
  // fill clicks a field and replaces its text.
  async fill(where, text) {
    await this.click(where);
    await this.page.locator(where).first().selectText();
    await this.type(text);
  }
  // tab moves the focus to a field.
  async tab(name) {
    for (let i = 0; i < 12; i++) {
      await this.press("Tab");
      if ((await this.page.evaluate(() => document.activeElement.name)) === name) return;
    }
    throw new Error(`Tab does not lead to ${name}`);
  }
  button(name) { return this.page.getByRole("button", { name, exact: true }); }
  link(name) { return this.page.getByRole("link", { name, exact: true }); }
}

// task runs one task in a new context.
async function task(name, from, walk, options = {}) {
  const context = await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 900 }, acceptDownloads: true, permissions: ["clipboard-read", "clipboard-write"], ...options });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.on("pageerror", (e) => find(name, `script: ${e}`));
  const hand = new Hand(page);
  try {
    await page.goto(base + from, { waitUntil: "load" });
    await walk(hand, page);
    told.push([name, hand.actions]);
  } catch (e) {
    find(name, `after ${hand.actions} actions: ${e.message.split("\n")[0]}`);
  }
  await context.close();
}

// answered waits until the page shows a result for these inputs.
const answered = (page, inputs = {}) => page.waitForFunction((wanted) => {
  const shown = document.getElementById("calculatorx-result");
  if (!shown || document.querySelector("#sheet[aria-busy]")) return false;
  const got = JSON.parse(shown.textContent).inputs;
  return Object.entries(wanted).every(([name, value]) => JSON.stringify(got[name]) === JSON.stringify(value));
}, inputs);

await task("convert 30 psi to bar", "/", async (hand, page) => {
  await hand.click("#q");
  await hand.type("30 psi in bar");
  await page.waitForFunction(() => /2\.06843\s+bar/.test(document.getElementById("answer")?.innerText));
});

await task("find the voltage drop of 20 A over 30 m, and open it", "/", async (hand, page) => {
  await hand.click("#q");
  await hand.type("voltage drop 20 A 30 m");
  await page.waitForFunction(() => /Still needed/.test(document.getElementById("answer")?.textContent));
  await hand.press("Enter");
  await page.waitForFunction(() => document.activeElement.closest("#answer"));
  await hand.press("Enter");
  await page.waitForURL(/voltage-drop\?.*20/);
});

await task("fill in a beam with units, by keyboard", beam, async (hand, page) => {
  await hand.click("[name=length]");
  await hand.type("20 ft");
  for (const [name, text] of [["uniform_load", "0.6 kip/ft"], ["elastic_modulus", "29000 ksi"], ["second_moment_of_area", "300 in4"]]) {
    await hand.tab(name);
    await hand.type(text);
  }
  await answered(page, { length: 6.096 });
});

await task("read the results in metric units, the deflection in cm", `${beam}?length=20&length.unit=ft&uniform_load=0.6&uniform_load.unit=kip/ft&elastic_modulus=29000&elastic_modulus.unit=ksi&second_moment_of_area=300&second_moment_of_area.unit=in4`, async (hand, page) => {
  const unit = (u) => page.waitForFunction((u) => document.querySelector(".hero.first .value .unit")?.textContent === u, u);
  await unit("in");
  await hand.click(page.locator("label", { has: page.locator("[name=units][value=metric]") }));
  await unit("mm");
  await hand.choose("select.shown-in", "cm");
  await unit("cm");
});

await task("take material and section from tables", `${beam}?length=4&uniform_load=5000`, async (hand, page) => {
  await hand.click("[name='elastic_modulus.preset']");
  await hand.type("S235");
  await hand.click("[name='second_moment_of_area.preset']");
  await hand.type("IPE 200");
  await answered(page, { elastic_modulus: 210e9, second_moment_of_area: 1.943e-5 });
});

await task("paste the layers of a wall from a spreadsheet", "/calc/thermo/wall-heat-loss?temperature_hot=293&temperature_cold=273", async (hand, page) => {
  await page.evaluate(() => navigator.clipboard.writeText("100\t0.5\n50\t0.04\n10\t0.2\n"));
  await hand.click("[name='layers.thickness']");
  await hand.press("Control+V");
  await answered(page, { layers: [{ thickness: 0.1, conductivity: 0.5 }, { thickness: 0.05, conductivity: 0.04 }, { thickness: 0.01, conductivity: 0.2 }] });
});

await task("vary the span from 2 m to 8 m", given, async (hand, page) => {
  await hand.click(hand.link("Vary an input"));
  await page.waitForSelector('[name="vary.from"]');
  await hand.choose('[name="vary.field"]', "length");
  await hand.fill('[name="vary.from"]', "2");
  await hand.fill('[name="vary.to"]', "8");
  await page.waitForFunction(() => document.querySelectorAll("#varied svg path[data-x]").length === 1 && location.search.includes("length%3A2%3A8"));
});

await task("compare two versions", older, async (hand, page) => {
  await hand.click("details.versions summary");
  await hand.click(compareWithFirst);
  await page.waitForURL(/compare=1\.0\.0/);
  await page.waitForFunction(() => document.querySelector("#compare-versions")?.innerText.includes("Version 1.0.0"));
});

await task("compare with another span", given, async (hand, page) => {
  await hand.click(hand.link("Compare with other inputs"));
  await hand.fill("#w-length", "5");
  await hand.press("Enter");
  await page.waitForURL(/with\.length=5/);
  await page.waitForFunction(() => document.querySelectorAll("#compare-inputs tr.differs").length > 1);
});

await task("create a snapshot, and open it in the calculator", given, async (hand, page) => {
  await hand.click("[data-action=snapshot]");
  await page.locator("[data-outcome] a").waitFor();
  await hand.click("[data-outcome] a");
  await page.waitForURL(/\/s\/cx_[^/]{1,40}$/);
  await hand.click(hand.link("Open in the calculator"));
  await page.waitForURL(/\/calc\//);
  await answered(page, { length: 4 });
});

await task("print a sheet with project and author", given, async (hand, page) => {
  await page.evaluate(() => { globalThis.print = () => { document.title = `printed: ${document.title}`; }; });
  await hand.click(".print-form summary");
  await hand.fill("[data-prints=project]", "Footbridge 7");
  await hand.fill("[data-prints=author]", "A. Ampère");
  await hand.click("[data-action=print]");
  await page.waitForFunction(() => document.title.startsWith("printed: ") && document.querySelector(".print-head").textContent.includes("Footbridge 7"));
});

await task("use a section's second moment of area in a beam", "/calc/sections/rectangular-section?width=0.1&height=0.2", async (hand, page) => {
  await hand.click(".uses summary");
  await hand.click(".uses a[href*='simply-supported-uniform']");
  await page.waitForURL(/simply-supported-uniform-load\?.*second_moment/);
});

// drawn measures the CPU time from the last typed digit, or from opening a URL with a result, until the page draws
// the result.
async function drawn(from, act) {
  const page = await (await browser.newContext({ locale: "en-GB", viewport: { width: 1280, height: 900 } })).newPage();
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  const spent = async () => Object.fromEntries((await client.send("Performance.getMetrics")).metrics.map((m) => [m.name, m.value * 1000]));
  let before = await spent();
  await page.goto(base + from, { waitUntil: "load" });
  if (act) {
    before = await spent();
    await act(page);
  }
  await answered(page);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const after = await spent();
  await page.context().close();
  const of = (name) => Math.round((after[name] - (before[name] ?? 0)) * 10) / 10;
  return `${of("ScriptDuration")} ms of script, ${of("LayoutDuration") + of("RecalcStyleDuration")} ms of layout`;
}
console.log(`first result of a URL: ${await drawn(given)}`);
const typed = await drawn(given.replace("length=4&", ""), async (page) => { await page.locator("[name=length]").focus(); await page.keyboard.type("4"); });
console.log(`first result while typing: ${typed}`);

await browser.close();
for (const [name, actions] of told) console.log(`${String(actions).padStart(3)} ${name}`);
conclude(`${told.length} of 12 tasks done`);
