// Fills in the print header, prints pages on A4 and Letter, and checks formulas on a machine without a font for
// mathematics. It writes the sheets to a directory, and their expected content to sheets.json.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { conclude, find, launch, pages } from "./browser.mjs";

const [base, dir] = process.argv.slice(2);
const list = await pages(base);
const typed = { project: "Footbridge 7", note: "Second issue", author: "A. Ampère", checker: "C. Curie" };

const browser = await launch();
const sent = [];
const context = await browser.newContext({ locale: "en-GB" });
context.on("request", (r) => sent.push(r.url() + " " + (r.postData() ?? "") + JSON.stringify(r.headers())));
const page = await context.newPage();

// The typed texts are on the printed sheet, on the next page, and after a change of an input.
const onSheet = () => page.locator(".print-head dd").allTextContents();
const wanted = [typed.project, typed.note, typed.author, typed.checker].join();
await page.goto(base + list.result, { waitUntil: "load" });
await page.locator(".print-form summary").click();
for (const [name, text] of Object.entries(typed)) await page.locator(`[data-prints=${name}]`).fill(text);
if ((await onSheet()).join() !== wanted) find("fields", `the print header has ${await onSheet()}`);
await page.locator("[name=length]").fill("4");
await page.waitForFunction(() => document.querySelector(".address")?.textContent.includes("length=4"));
if ((await onSheet()).join() !== wanted) find("fields", `after a change the print header has ${await onSheet()}`);

const sheets = [];
for (const name of ["result", "tabs", "snapshot"]) {
  await page.goto(base + list[name], { waitUntil: "load" });
  if ((await onSheet()).join() !== wanted) find(name, `the print header has ${await onSheet()}`);
  await page.evaluate(() => document.fonts.ready);
  const contents = await page.evaluate((texts) => ({
    address: document.querySelector(".address").textContent,
    code: document.querySelector(".print-head .code") !== null,
    pictures: document.querySelectorAll("figure.picture").length,
    texts: [
      ...texts, document.querySelector(".print-head .title").textContent, document.querySelector(".print-head code").textContent, document.documentElement.dataset.foot,
      ...[...document.querySelectorAll("figure.picture h3, .sheet .trust .digests code, .assumed li")].map((e) => e.textContent),
      ...[...document.querySelectorAll(".steps .answer .math")].map((e) => e.getAttribute("aria-label").match(/= -?([\d.]+)/)?.[1] ?? "no number"),
    ],
  }), Object.values(typed));
  for (const format of ["A4", "Letter"]) {
    mkdirSync(dir, { recursive: true });
    const file = `${name}-${format}.pdf`;
    await page.pdf({ path: join(dir, file), format });
    sheets.push({ file, ...contents });
  }
}
writeFileSync(join(dir, "sheets.json"), JSON.stringify(sheets));
if (sent.some((s) => Object.values(typed).some((text) => s.includes(text) || s.includes(encodeURIComponent(text))))) find("fields", "the page sent the texts of the print header");
await browser.close();

// Without JavaScript, the sheet has blank lines.
const fonts = mkdtempSync(join(tmpdir(), "fonts-"));
writeFileSync(join(fonts, "fonts.conf"), `<?xml version="1.0"?><fontconfig><dir>/usr/share/fonts/truetype/liberation</dir><cachedir>${fonts}</cachedir></fontconfig>`);
const poor = await launch({ FONTCONFIG_FILE: join(fonts, "fonts.conf") });
{
  const page = await (await poor.newContext({ locale: "en-GB", javaScriptEnabled: false })).newPage();
  await page.emulateMedia({ media: "print" });
  await page.goto(base + list.result, { waitUntil: "load" });
  const lines = await page.locator(".print-head dd").evaluateAll((all) => all.filter((e) => e.textContent === "" && e.getBoundingClientRect().height > 10).length).catch(() => 0);
  if (lines !== 4) find("no JavaScript", `${lines} blank lines`);
}

// A root, a brace, parentheses and a fraction must be as tall as their content. Without the font of the page,
// they are not.
const samples = {
  root: ["<msqrt><mfrac><mfrac><mi>a</mi><mi>b</mi></mfrac><mfrac><mi>c</mi><mi>d</mi></mfrac></mfrac></msqrt>", "mfrac"],
  brace: ["<mrow><mo>{</mo><mtable><mtr><mtd><mn>1</mn></mtd></mtr><mtr><mtd><mn>2</mn></mtd></mtr><mtr><mtd><mn>3</mn></mtd></mtr><mtr><mtd><mn>4</mn></mtd></mtr></mtable></mrow>", "mtable"],
  parenthesis: ["<mrow><mo>(</mo><mfrac><mfrac><mi>a</mi><mi>b</mi></mfrac><mfrac><mi>c</mi><mi>d</mi></mfrac></mfrac><mo>)</mo></mrow>", "mfrac"],
};

// covered returns the height of a sign as a fraction of the height of its content.
async function covered(page, math, content) {
  const clip = await page.evaluate(([math, content]) => {
    const place = document.querySelector(".formula .math");
    place.innerHTML = `<math display="block">${math}</math>`;
    place.scrollIntoView();
    const whole = place.firstChild.getBoundingClientRect(), inner = place.querySelector(content).getBoundingClientRect();
    return { x: whole.left, y: inner.top, width: inner.left - whole.left - 0.5, height: inner.height };
  }, [math, content]);
  const png = (await page.screenshot({ clip })).toString("base64");
  return page.evaluate(async (png) => {
    const image = new Image();
    image.src = "data:image/png;base64," + png;
    await image.decode();
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width, height: image.height });
    const pen = canvas.getContext("2d");
    pen.drawImage(image, 0, 0);
    const { data } = pen.getImageData(0, 0, image.width, image.height);
    const rows = new Set();
    for (let i = 0; i < data.length; i += 4) if (data[i] < 128) rows.add(Math.floor(i / 4 / image.width));
    return (Math.max(...rows) - Math.min(...rows)) / image.height;
  }, png);
}

for (const withFont of [true, false]) {
  const page = await (await poor.newContext({ locale: "en-GB", deviceScaleFactor: 3 })).newPage();
  if (!withFont) await page.route("**/*.woff2", (route) => route.abort());
  await page.goto(base + list.result, { waitUntil: "load" });
  await page.evaluate(() => document.fonts.ready);
  for (const [name, [math, content]] of Object.entries(samples)) {
    const part = await covered(page, math, content);
    console.log(`${name} ${withFont ? "with" : "without"} the font: ${part.toFixed(2)} of the height`);
    if (withFont ? !(part > 0.85) : part > 0.75) find("font", `the ${name} ${withFont ? "covers" : "covers, without the font,"} ${part} of its content`);
  }
}
await poor.close();
rmSync(fonts, { recursive: true });
conclude(`${sheets.length} sheets in ${dir}`);
