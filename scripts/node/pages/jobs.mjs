// Eleven jobs of an engineer, in US units with an American browser and in metric units with a British one. Each job starts at an
// empty calculator. Numbers are typed as people write them. A hand calculation in the comment gives the expected results.
import { conclude, find, launch } from "./browser.mjs";

const base = process.argv[2];
const browser = await launch();

const beam = "/calc/statics/simply-supported-uniform-load";
const drop = "/calc/circuits/voltage-drop";
const pipe = "/calc/fluids/pipe-pressure-drop";
const column = "/calc/columns/euler-johnson-column";
const loan = "/calc/finance/loan-payment";
const wall = "/calc/thermo/wall-heat-loss";
const spring = "/calc/springs/helical-compression-spring";
const shaft = "/calc/torsion/circular-shaft";
const rc = "/calc/circuits/rc-transient";
const sample = "/calc/statistics/summary-statistics";
const measured = [10.02, 9.98, 10.05, 10.01, 9.97, 10.03, 9.99, 10, 10.04, 9.96, 10.02, 9.98];

// job runs one job with each browser. A job has the texts to type in order, choices, rows to paste, and the expected
// results: label, number and unit.
const jobs = {
  "deflection and moment of a beam": {
    path: beam,
    // 5 (1500/12) 240^4 / (384 29e6 204) in; 1.5 20^2 / 8 kip ft
    us: { type: { length: "20'", uniform_load: "1.5 klf", elastic_modulus: "29,000 ksi", "second_moment_of_area.preset": "W12x26" }, results: [["Largest deflection", 0.912779, "in"], ["Largest bending moment", 75, "kip·ft"]] },
    // 5 20e3 6^4 / (384 210e9 8.356e-5) m; 20 6^2 / 8 kN m
    metric: { type: { length: "6 metres", uniform_load: "20 kN/m", elastic_modulus: "210 GPa", "second_moment_of_area.preset": "ipe 300" }, results: [["Largest deflection", 19.2334, "mm"], ["Largest bending moment", 90, "kN·m"]] },
  },
  "second moment of area for a deflection of L/360": {
    path: beam,
    // 204 in4 0.912779 in / (240 in / 360)
    us: { type: { length: "20 ft", uniform_load: "1.5 kip/ft", elastic_modulus: "29000 ksi", second_moment_of_area: "204 in4" }, seek: { output: "delta_max", target: "0.6666667 in", field: "second_moment_of_area" }, found: [279.310, "in⁴"] },
    // 8356 cm4 19.2334 mm / (6000 mm / 360)
    metric: { type: { length: "6 m", uniform_load: "20 kN/m", elastic_modulus: "210 GPa", second_moment_of_area: "8356 cm4" }, seek: { output: "delta_max", target: "16.666667 mm", field: "second_moment_of_area" }, found: [9642.86, "cm⁴"] },
  },
  "voltage drop of a cable": {
    path: drop,
    // 5.211 ohm/km (1 + 0.00393 55) is 6.33736 ohm/km at 75 degC; 2 16 36.576 0.00633736 V
    us: { choose: { circuit: "ac_single_phase" }, type: { current: "16 A", length: "120 ft", source_voltage: "120 V", fill: "AWG 12" }, results: [["Voltage drop", 7.41745, "V"], ["Relative voltage drop", 6.18121, "%"]] },
    // 7.41 ohm/km (1 + 0.00393 55); 2 16 30 0.00901167 V
    metric: { choose: { circuit: "ac_single_phase" }, type: { current: "16 amps", length: "30 meters", source_voltage: "230 V", fill: "Cu2.5" }, results: [["Voltage drop", 8.65120, "V"], ["Relative voltage drop", 3.76139, "%"]] },
  },
  "pressure drop of a pipe": {
    path: pipe,
    // inside 52.48 mm, water 999.1 kg/m3 and 1.1376 mPa s, Re 53772, Colebrook f 0.0234197; 1.34138 psi
    us: { type: { "diameter.preset": "2 in sch 40", length: "100 ft", volumetric_flow: "40 gpm", roughness: "0.0018 in", fill: "Water at 15 °C" }, results: [["Pressure drop", 1.34138, "psi"]] },
    // inside 53.1 mm, Re 52647, Colebrook f 0.0234208; 8424.23 Pa
    metric: { type: { "diameter.preset": "DN 50, 60.3 x 3.6 mm", length: "30 m", volumetric_flow: "2.5 l/s", roughness: "0.045 mm", fill: "Water at 15 °C" }, results: [["Pressure drop", 8.42423, "kPa"]] },
  },
  "critical load of a hollow column": {
    path: column,
    // A 5.24 in2, I 28.6 in4, slenderness 61.6375 below 111.554: 5.24 46 (1 - 46 61.6375^2 / (4 pi^2 29000)) kip
    us: { type: { length: "12 ft", elastic_modulus: "29000 ksi", yield_strength: "46 ksi", fill: "HSS6x6x1/4" }, results: [["Critical load", 204.246, "kip"]] },
    // A 18.73 cm2, I 279.4 cm4, slenderness 77.6742 below 108.059
    metric: { type: { length: "3 m", elastic_modulus: "210 GPa", yield_strength: "355 MPa", fill: "SHS 100x100x5" }, results: [["Critical load", 493.136, "kN"]] },
  },
  "payment of a loan": {
    path: loan,
    // 350000 (0.065/12) / (1 - (1 + 0.065/12)^-360)
    us: { type: { principal: "350,000", annual_rate: "6.5 %", periods: "360" }, results: [["Payment", 2212.24, ""]] },
    // 200000 (0.042/12) / (1 - (1 + 0.042/12)^-300)
    metric: { type: { principal: "200 000", annual_rate: "4.2 %", periods: "300" }, results: [["Payment", 1077.88, ""]] },
  },
  "heat loss of a wall of three layers": {
    path: wall,
    // R (0.5/0.0925 + 3.5/0.0225 + 0.5/0.068) / 12 = 14.0262 h ft2 degF/Btu; 100 60 / R
    us: { type: { temperature_hot: "70 F", temperature_cold: "10 F", area: "100 sq ft" }, paste: { "layers.thickness": "0.5\t0.0925\n3.5\t0.0225\n0.5\t0.068\n" }, results: [["R-value", 14.0262, "h·ft²·°F/Btu"], ["Heat flow", 427.772, "Btu/h"]] },
    // R 0.1/0.5 + 0.05/0.04 + 0.01/0.2 = 1.5 m2 K/W, 10 20 / 1.5 W, with thicknesses in mm
    metric: { type: { temperature_hot: "20 C", temperature_cold: "0 C", area: "10 m²" }, paste: { "layers.thickness": "100\t0.5\n50\t0.04\n10\t0.2\n" }, results: [["R-value", 1.5, "m²·K/W"], ["Heat flow", 133.333, "W"]] },
  },
  "rate and stress of a spring": {
    path: spring,
    // 11.5e6 0.08^4 / (8 0.5^3 8) lbf/in; index 6.25, Wahl 1.24126: 1.24126 8 20 0.5 / (pi 0.08^3) psi
    us: { type: { wire_diameter: "0.08 in", mean_coil_diameter: "1/2 in", active_coils: "8", shear_modulus: "11,500 ksi", force: "20 lb" }, results: [["Spring rate", 58.88, "lbf/in"], ["Shear stress", 61.7351, "ksi"]] },
    // 79 GPa, 2 mm, 16 mm: 4.82178 N/mm; index 8, Wahl 1.18402: 482.412 MPa
    metric: { type: { wire_diameter: "2 mm", mean_coil_diameter: "16 mm", active_coils: "8", shear_modulus: "79 GPa", force: "80 N" }, results: [["Spring rate", 4.82178, "N/mm"], ["Shear stress", 482.412, "MPa"]] },
  },
  "stress of a shaft by power and speed": {
    path: shaft,
    // 10 745.6998715823 / (1750 pi/30) = 40.6909 N m; 16 T / (pi d^3)
    us: { type: { outer_diameter: "1.5 in", length: "5 ft", shear_modulus: "11,500 ksi", power: "10 hp", rotational_speed: "1,750 rpm" }, results: [["Greatest shear stress", 543.468, "psi"]] },
    // 7500 / (1450 pi/30) = 49.3929 N m; 16 T / (pi 0.04^3)
    metric: { type: { outer_diameter: "40 mm", length: "1.5 m", shear_modulus: "80 GPa", power: "7.5 kW", rotational_speed: "1450 rpm" }, results: [["Greatest shear stress", 3.93056, "MPa"]] },
  },
  "time constant of a resistor and a capacitor": {
    path: rc,
    // 4700 100e-9 s
    us: { type: { resistance: "4.7k", capacitance: "100n" }, results: [["Time constant", 470, "µs"]] },
    metric: { type: { resistance: "4k7", capacitance: "100 nF" }, results: [["Time constant", 470, "µs"]] },
  },
  "mean and deviation of twelve measurements": {
    path: sample,
    // the sum is 120.05; the squares of the differences add to 0.00909167
    us: { paste: { data: measured.map((x) => x.toFixed(2)).join("\n") }, results: [["Mean", 10.0042, ""], ["Standard deviation", 0.0287492, ""]] },
    metric: { paste: { data: measured.map((x) => x.toFixed(2).replace(".", ",")).join("\n") }, results: [["Mean", 10.0042, ""], ["Standard deviation", 0.0287492, ""]] },
  },
};

// shown returns the results on the page: label, number and unit.
const shown = (page) => page.locator("#result table").first().locator("tbody > tr").evaluateAll((rows) => rows.map((row) => {
  const text = (e) => e?.textContent.replace(/\s+/g, " ").trim() ?? "";
  const unit = row.querySelector("td.u select option:checked") ?? row.querySelector("td.u");
  return [row.querySelector("th").firstChild.textContent.trim(), text(row.querySelector("td.n")), text(unit).replace("–", "")];
}));

const near = (text, want) => Math.abs(Number(text.replace(/[^0-9.eE+-]/g, "")) / want - 1) < 1e-5;

// sought finds the input for a wanted result on the study page, within the proposed bounds.
async function sought(page, where, job) {
  const { output, target, field } = job.seek;
  await page.getByRole("link", { name: "Goal, sensitivity, uncertainty" }).first().click();
  await page.waitForURL(/\/study\?/);
  const form = page.locator("form", { has: page.locator("[name='study.unknown']") });
  await form.locator("[name='study.unknown']").selectOption(field);
  await form.locator("[name='study.output']").selectOption(output);
  await form.locator("[name='study.goal']").fill(target);
  await form.getByRole("button", { name: "Find" }).click();
  const found = (await page.locator("dl.found dd").first().textContent()).replace(/\s+/g, " ").trim();
  const [number, unit] = job.found;
  if (!near(found.replace(/ [^ ]*$/, ""), number) || !found.endsWith(` ${unit}`)) find(where, `found ${found}, expected ${number} ${unit}`);
  return 5;
}

async function done(name, job, locale) {
  const where = `${name}, ${locale}`;
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, locale, permissions: ["clipboard-read", "clipboard-write"] });
  const page = await context.newPage();
  page.setDefaultTimeout(15000);
  page.on("pageerror", (e) => find(where, `script: ${e}`));
  let actions = 0;
  const click = async (what) => { actions++; await page.locator(what).first().click(); };
  const type = async (text) => { actions++; await page.keyboard.type(text); };
  try {
    await page.goto(base + jobs[name].path, { waitUntil: "load" });
    for (const [field, value] of Object.entries(job.choose ?? {})) await click(`label:has([name="${field}"][value="${value}"])`);
    for (const [field, text] of Object.entries(job.type ?? {})) {
      await click(`[name="${field}"]`);
      await type(text);
    }
    for (const [field, text] of Object.entries(job.paste ?? {})) {
      await page.evaluate((t) => navigator.clipboard.writeText(t), text);
      await click(`[name="${field}"]`);
      actions++;
      await page.keyboard.press("Control+V");
    }
    actions++;
    await page.keyboard.press("Tab");
    await page.waitForFunction(() => document.getElementById("calculatorx-result") && !document.querySelector("#sheet[aria-busy]"));
    if (job.seek) actions += await sought(page, where, job);
    else for (const [label, number, unit] of job.results) {
      const row = (await shown(page)).find((r) => r[0] === label);
      if (!row || !near(row[1], number) || row[2] !== unit) find(where, `${label} is ${row?.slice(1).join(" ")}, expected ${number} ${unit}`);
    }
    console.log(`${String(actions).padStart(3)} ${where}`);
  } catch (e) {
    const errors = await page.locator(".error:not([hidden]), .problem").allTextContents().catch(() => []);
    find(where, `after ${actions} actions: ${e.message.split("\n")[0]} ${errors.join("; ").replace(/\s+/g, " ").slice(0, 300)}`);
  }
  await context.close();
}

for (const [name, { us, metric }] of Object.entries(jobs)) {
  await done(name, us, "en-US");
  await done(name, metric, "en-GB");
}
await browser.close();
conclude(`${Object.keys(jobs).length} jobs, each in US and metric units`);
