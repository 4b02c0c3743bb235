// Checks every kind of page in a real browser: by keyboard, in small and large windows, in light and dark,
// without JavaScript, and under attack.
import ts from "typescript";
import { execFileSync } from "node:child_process";
import { mkdtempSync, writeFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { join, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { walkFind } from "./walk-find.mjs";
import { walkForm } from "./walk-form.mjs";
import { walkSteps } from "./walk-steps.mjs";
import { walkUnits } from "./walk-units.mjs";
import { accessible, cantilever, conclude, find, findings, fits, launch, older, pages } from "./browser.mjs";
import { walkCompare } from "./walk-compare.mjs";
import { walkVary } from "./walk-vary.mjs";
import { walkExport } from "./walk-take.mjs";
import { walkLists } from "./walk-lists.mjs";
import { walkPresets } from "./walk-presets.mjs";

const base = process.argv[2];
const here = dirname(fileURLToPath(import.meta.url));
const browser = await launch();
const list = await pages(base);
let looks = 0;

// watch reports forbidden events of a page: console errors, dialogs and external requests.
function watch(page, at) {
  page.on("console", (m) => {
    // The browser also logs the status of error pages, which is correct.
    if (m.type() === "error" && !/Failed to load resource: the server responded with a status of 4/.test(m.text())) find(at.where, `console: ${m.text()}`);
  });
  page.on("pageerror", (e) => find(at.where, `script: ${e}`));
  page.on("dialog", (d) => { find(at.where, `dialog: ${d.message()}`); d.dismiss(); });
  page.on("request", (r) => {
    if (!r.url().startsWith(base + "/") && !/^(data|blob):/.test(r.url())) find(at.where, `request to ${r.url()}`);
  });
}

// open opens a page in a new context. go opens another page in it, without stored data.
async function open(options, where, path) {
  const context = await browser.newContext({ locale: "en-GB", ...options });
  const page = await context.newPage();
  const at = { where };
  watch(page, at);
  await page.goto(base + path, { waitUntil: "load" });
  const go = async (next, to) => {
    await context.clearCookies();
    if (options.javaScriptEnabled !== false) await page.evaluate(() => localStorage.clear());
    at.where = next;
    await page.goto(base + to, { waitUntil: "load" });
  };
  return { page, go, close: () => context.close() };
}

// look checks accessibility in light and dark, narrow and wide. The dark page differs only in its styles, so axe
// checks only the colours again.
const colours = ["color-contrast", "link-in-text-block"];
async function look(name, path, width) {
  const wide = `${name}, ${width} px`;
  const { page, close } = await open({ colorScheme: "light", viewport: { width, height: 900 } }, wide, path);
  for (const colorScheme of ["light", "dark"]) {
    const where = `${wide}, ${colorScheme}`;
    await page.emulateMedia({ colorScheme });
    await accessible(where, page, colorScheme === "dark" ? colours : []);
    await fits(where, page);
    looks++;
  }
  await close();
}
async function looksAtAll() {
  for (const [name, path] of Object.entries(list)) await Promise.all([360, 1280].map((width) => look(name, path, width)));
}

// lookAtPictures checks that the server draws all plots.
async function lookAtPictures() {
  for (const name of ["tabs", "result", "snapshot"]) {
    const { page, close } = await open({ viewport: { width: 1280, height: 900 } }, name, list[name]);
    const plots = await page.locator("figure.picture").count();
    const drawn = await page.locator("figure.picture svg").count();
    if (plots !== drawn || (name !== "tabs" && drawn < 4)) find(name, `${drawn} of ${plots} plots are drawn`);
    await close();
  }
}

// lateScript checks that a script that loads after the first paint does not shift the layout.
async function lateScript() {
  const some = { form: list.form, result: list.result, snapshot: list.snapshot, table: "/calc/sections/polygon-section" };
  for (const [name, path] of Object.entries(some)) {
    const where = `late script, ${name}`;
    const context = await browser.newContext({ locale: "en-GB", viewport: { width: 412, height: 823 }, deviceScaleFactor: 1.75, isMobile: true });
    const page = await context.newPage();
    watch(page, { where });
    let seen;
    const painted = new Promise((done) => { seen = done; });
    await page.exposeFunction("painted", seen);
    await page.addInitScript(() => {
      window.moved = 0;
      new PerformanceObserver((shifts) => { for (const s of shifts.getEntries()) window.moved += s.value; }).observe({ type: "layout-shift", buffered: true });
      new PerformanceObserver(() => window.painted()).observe({ type: "paint", buffered: true });
    });
    await page.route(/\.js$/, (route) => painted.then(() => route.continue()));
    await page.goto(base + path, { waitUntil: "load" });
    await page.locator("html.scripted").waitFor();
    const moved = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(() => done(window.moved))))));
    if (moved > 0.01) find(where, `the layout shifts by ${moved}`);
    await context.close();
  }
}

// keyboardAlone checks that typed numbers give a result without a click.
async function keyboardAlone() {
  const where = "keyboard";
  const { page, close } = await open({}, where, "/calc/electrical/ohms-law");
  const typed = { voltage: "12", resistance: "8" };
  for (let i = 0; i < 80 && Object.keys(typed).length; i++) {
    await page.keyboard.press("Tab");
    const name = await page.evaluate(() => document.activeElement?.getAttribute("name"));
    if (name in typed) {
      await page.keyboard.type(typed[name]);
      delete typed[name];
    }
  }
  if (Object.keys(typed).length) find(where, `could not reach ${Object.keys(typed)}`);
  const result = page.locator("#calculatorx-result");
  try {
    await page.keyboard.press("Enter");
    await result.waitFor({ state: "attached", timeout: 15000 });
    const got = JSON.parse(await result.textContent());
    if (got.result.current !== 1.5) find(where, `current ${got.result.current}`);
  } catch (e) {
    find(where, `no result: ${e.message.split("\n")[0]}`);
  }
  await close();
}

// live checks that the API computes a changed input, and that the URL follows.
async function live() {
  const where = "live";
  const { page, close } = await open({}, where, "/calc/electrical/ohms-law?V=12&R=8");
  const asked = page.waitForRequest((r) => r.method() === "POST" && r.url().includes("/api/v1/calc/"));
  await page.locator("[name=voltage]").fill("24");
  await asked;
  await page.waitForFunction(() => JSON.parse(document.getElementById("calculatorx-result")?.textContent ?? "{}").inputs?.voltage === 24, null, { timeout: 15000 })
    .catch((e) => find(where, e.message.split("\n")[0]));
  if (!/[?&](V|voltage)=24(&|$)/.test(page.url())) find(where, `the URL is ${page.url()}`);
  await page.locator("[name=resistance]").fill("0");
  await page.waitForFunction(() => !document.getElementById("calculatorx-result") && document.querySelector("[aria-invalid=true]")?.getAttribute("name") === "resistance", null, { timeout: 15000 })
    .catch(() => find(where, "a rejected input leaves a result, or no error at its field"));
  await close();
}

// copiedBy clicks a copy button and returns the copied text. The button shows its success only briefly, so an observer in the page
// waits for it.
async function copiedBy(page, action) {
  const told = page.evaluate((a) => new Promise((done, fail) => {
    const button = document.querySelector(`[data-action=${a}]`);
    new MutationObserver(() => { if (button.textContent === "Copied") done(); }).observe(button, { childList: true, characterData: true, subtree: true });
    setTimeout(() => fail(new Error(`${a} copies nothing`)), 30000);
  }), action);
  await Promise.all([told, page.locator(`[data-action=${action}]`).click()]);
  return page.evaluate(() => navigator.clipboard.readText());
}

// actions checks that copied commands work, and that the page creates a snapshot in place.
async function actions() {
  const where = "actions";
  const { page, close } = await open({ permissions: ["clipboard-read", "clipboard-write"] }, where, "/calc/electrical/ohms-law?V=12&R=8");
  await page.locator(".copies > summary").click();
  const copied = (action) => copiedBy(page, action);
  const shown = await page.locator("#calculatorx-result").textContent();
  const same = (what, text) => {
    if (JSON.stringify(JSON.parse(text)) !== JSON.stringify(JSON.parse(shown))) find(where, `${what} gives ${text}`);
  };
  same("the copied JSON", await copied("copy-json"));
  same("the copied curl command", execFileSync("sh", ["-c", await copied("copy-curl")]).toString());
  const call = await copied("copy-mcp");
  const answer = await fetch(base + "/mcp", { method: "POST", headers: { "Content-Type": "application/json", Accept: "application/json, text/event-stream" }, body: call }).then((r) => r.json());
  if (answer.result?.structuredContent?.result?.current !== 1.5) find(where, `the copied MCP call gives ${JSON.stringify(answer)}`);
  if ((await copied("copy-link")) !== page.url()) find(where, "the copied link is not the URL");
  await page.locator("[data-action=snapshot]").click();
  const link = page.locator("[data-outcome] a");
  await link.waitFor();
  await link.click();
  await page.waitForURL(/\/s\//);
  if ((await page.locator("#calculatorx-result").textContent()) !== shown) find(where, "the snapshot has another result");
  await close();
}

// exact checks that a calculation with decimal inputs uses all typed digits: on the page, in a copied command and in
// a snapshot. As binary64, 3.3 ft would be 39.599999999999994 in.
async function exact() {
  const where = "exact";
  const { page, close } = await open({ permissions: ["clipboard-read", "clipboard-write"] }, where, "/calc/convert/length?a=1&from=ft&to=in");
  const shown = () => page.locator("#calculatorx-result").textContent().then(JSON.parse);
  const typed = (name, text, wanted) => page.locator(`[name=${name}]`).fill(text)
    .then(() => page.waitForFunction(([n, w]) => JSON.stringify(JSON.parse(document.getElementById("calculatorx-result")?.textContent ?? "{}").inputs?.[n]) === w, [name, wanted], { timeout: 15000 }))
    .catch((e) => find(where, `${name} ${text}: ${e.message.split("\n")[0]}`));
  await typed("a", "3.3", '"3.3"');
  if ((await shown()).result.value !== 39.6) find(where, `3.3 ft is ${(await shown()).result.value} in`);
  await page.locator(".copies > summary").click();
  const copied = JSON.parse(execFileSync("sh", ["-c", await copiedBy(page, "copy-curl")]));
  if (copied.result.value !== 39.6) find(where, `the copied curl command gives ${copied.result.value}`);
  await page.locator("[data-action=snapshot]").click();
  const link = page.locator("[data-outcome] a");
  await link.waitFor();
  await link.click();
  await page.waitForURL(/\/s\//);
  await page.getByRole("link", { name: "Open in the calculator" }).click();
  await page.waitForURL(/\/calc\//);
  if ((await shown()).result.value !== 39.6) find(where, `the snapshot, opened in the calculator, gives ${(await shown()).result.value}`);
  await page.goto(base + "/calc/statistics/summary-statistics?data=1+2", { waitUntil: "load" });
  await typed("data", "0.1\n0.2\n0.30", '["0.1","0.2","0.30"]');
  await close();
}

// versions selects an older version, and checks the note about it.
async function versions() {
  for (const javaScriptEnabled of [true, false]) {
    const where = `versions, ${javaScriptEnabled ? "with" : "without"} JavaScript`;
    const { page, close } = await open({ javaScriptEnabled }, where, older);
    await page.locator("details.versions summary").click();
    await page.getByRole("button", { name: "Calculate with 1.0.0" }).click();
    const note = page.getByText("Computed with version 1.0.0. The current version is");
    await note.waitFor({ timeout: 15000 }).catch(() => find(where, "the page has no note about the older version"));
    const got = JSON.parse(await page.locator("#calculatorx-result").textContent());
    if (got.calculation_version !== "1.0.0") find(where, `computed with ${got.calculation_version}`);
    await close();
  }
}

// attack puts scripts into every key and value. None of them may run.
const attacks = [
  '"><script>alert(1)</script>', "'><img src=x onerror=alert(1)>", "</script><script>alert(1)</script>", "javascript:alert(1)",
  '{{constructor.constructor("alert(1)")()}}', "<svg/onload=alert(1)>", '" autofocus onfocus=alert(1) x="', "</textarea><script>alert(1)</script>",
  "<!--<script>alert(1)</script>", "\u2028alert(1)", "%3Cscript%3Ealert(1)%3C/script%3E", "<math><mtext><script>alert(1)</script></mtext></math>",
];
async function attack() {
  const where = "attack";
  const context = await browser.newContext({ locale: "en-GB" });
  const page = await context.newPage();
  watch(page, { where });
  for (const attack of attacks) {
    const text = encodeURIComponent(attack);
    for (const query of [`V=${text}&R=8`, `V=12&R=8&${text}=1`, `V=12&R=8&calculation_version=${text}`, `V=12&voltage.unit=${text}&R=8`]) {
      const answer = await page.goto(`${base}/calc/electrical/ohms-law?${query}`, { waitUntil: "load" });
      if (answer.status() >= 500) find(where, `${answer.status()} for ${query}`);
      looks++;
    }
    const answer = await page.goto(`${base}/?q=${text}`, { waitUntil: "load" });
    if (answer.status() >= 500) find(where, `${answer.status()} for the search ${attack}`);
  }
  await context.close();
}

// machines checks the data for programs: the response of the API, and linked data of schema.org.
async function machines() {
  const where = "machines";
  const html = await fetch(base + cantilever).then((r) => r.text());
  const block = (id) => JSON.parse(html.match(new RegExp(`<script[^>]*id="?${id}"?[^>]*>([^<]*)</script>`))[1]);
  const shown = block("calculatorx-result");
  const answered = await fetch(base + "/api/v1/calc/cantilever-deflection", {
    method: "POST", headers: { "Content-Type": "application/json" },
    body: '{"L":3,"E":210e9,"I":8.356e-5,"w0":12000,"w":5000,"a":1.5,"M0":800}',
  }).then((r) => r.json());
  if (JSON.stringify(shown) !== JSON.stringify(answered)) find(where, "the result in the page is not the response of the API");
  checkTypes(where, block("calculatorx-jsonld"));
  const gzip = await new Promise((done, fail) => {
    get(base + cantilever, { headers: { "Accept-Encoding": "gzip" } }, (answer) => {
      let bytes = 0;
      answer.on("data", (part) => { bytes += part.length; });
      answer.on("end", () => done(answer.headers["content-encoding"] === "gzip" ? bytes : Infinity));
    }).on("error", fail);
  });
  if (gzip > 50_000) find(where, `the page has ${gzip} bytes compressed`);
  console.log(`page with a result: ${gzip} bytes compressed`);
}

// checkTypes compiles the linked data against schema-dts.
function checkTypes(where, graph) {
  const dir = mkdtempSync(join(here, ".types-"));
  try {
    const file = join(dir, "graph.ts");
    writeFileSync(file, `import type { Graph } from "schema-dts";\nexport const graph: Graph = ${JSON.stringify(graph, null, 1)};\n`);
    const program = ts.createProgram([file], { strict: true, noEmit: true, skipLibCheck: true, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler, types: [] });
    for (const d of ts.getPreEmitDiagnostics(program)) find(where, `schema.org: ${ts.flattenDiagnosticMessageText(d.messageText, "\n").slice(0, 600)}`);
  } finally {
    rmSync(dir, { recursive: true });
  }
}

// The walks are in two lanes, because most of them wait for the server. Walks that use the clipboard are in the same lane.
async function lane(walks) {
  for (const [name, walk] of Object.entries(walks)) {
    const from = performance.now();
    await walk();
    console.log(`${name}: ${((performance.now() - from) / 1000).toFixed(1)} s`);
  }
}
await Promise.all([
  lane({ looks: looksAtAll, lists: () => walkLists(open, list.snapshot), compare: () => walkCompare(open) }),
  lane({
    pictures: lookAtPictures, lateScript, keyboard: keyboardAlone, live, actions, exact, versions, attack, machines,
    find: () => walkFind(base, open), form: () => walkForm(base, open), units: () => walkUnits(base, open), take: () => walkExport(browser, base),
    steps: () => walkSteps(base, open, list.snapshot), presets: () => walkPresets(open), vary: () => walkVary(open),
  }),
]);

await browser.close();
conclude(`${looks} pages checked, ${findings.length} findings`);
