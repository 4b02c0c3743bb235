// Makes calls with the client in TypeScript, and prints what it gets.
import process, { argv } from "node:process";
import { Client, LockError, Problem, q } from "./calculations/calculations.js";
import type { OhmsLawInput, OhmsLawResult } from "./calculations/calculations.js";

/** A client of the service with one kind of fault. */
function at(fault: string): Client {
  return new Client(`${argv[2]}/${fault}/`, { headers: { "X-Api-Key": "secret" } });
}

function ohms(volts: number, ohms: number): OhmsLawInput {
  return { voltage: q(volts, "V"), resistance: q(ohms, "ohm") };
}

/** Says what kind of error it is. */
function word(error: unknown): string {
  if (error instanceof Problem) return `${error.code} ${error.status} ${error.field ?? ""}`;
  if (error instanceof LockError) return `LockError ${error.locked.capability}`;
  return "error";
}

async function failure(call: Promise<unknown>): Promise<string> {
  return call.then(() => "answer", word);
}

/** Whether a call fails with a TypeError that has this text. */
async function names(call: Promise<unknown>, text: string): Promise<boolean> {
  return call.then(
    () => false,
    (error: unknown) => error instanceof TypeError && error.message.includes(text),
  );
}

const a = await at("well").ohmsLaw({ voltage: q(12, "V"), resistance: q(3, "kohm") });
console.log("power", a.result.power.value, a.tier, a.engineDigest.length, a.assumptions.length, a.warnings.length);
const surface = { emissivity: 0.9, temperature: q(350, "K") };
const now = await at("well").greySurfaceRadiation(surface);
const then = await at("well").greySurfaceRadiationV1_0_0(surface);
console.log("pinned", now.result.heat_flux.value, then.result.heat_flux.value);
const amps = await at("well").wattsToAmps({ circuit: "ac_three_phase", primary: 6001, volts: q(0.4, "kV"), pf: 0.9, phase: "line_to_line" });
console.log("choices", amps.result.amps.value);

// Results as quantities: printed, as inputs, and in other units.
console.log("quantity", `${a.result.power}`, a.result.power.unit);
const again = await at("well").ohmsLaw({ current: a.result.current, power: a.result.power });
console.log("to", (await again.to("power", "mW")).value, "answer");
console.log("to kg", await failure(a.to("power", "kg")));
const list = { resistances: [q(100, "kohm"), q(1, "Mohm")] };
const parallel = await at("well").parallelResistance(list);
console.log("list to", (await parallel.to("parallel_resistance", "kohm")).value, "answer");
for await (const row of at("well").parallelResistanceBatch([list])) {
  if (row instanceof Problem) throw row;
  console.log("row to", (await row.to("series_resistance", "Mohm")).value, "answer");
}
console.log("swapped to", await failure((await at("swapped").ohmsLaw(ohms(12, 8))).to("power", "mW")));
// Programs in JavaScript have no types.
const untyped = { voltage: 12, resistance: q(3, "kohm") } as unknown as OhmsLawInput;
console.log("bare", await names(at("bare").ohmsLaw(untyped), 'voltage: 12 has no unit. Write q(12, "V")'));
const bare = { resistances: [q(100, "kohm"), 1] } as unknown as typeof list;
console.log("bare item", await names(at("bare").parallelResistance(bare), 'resistances: 1 has no unit. Write q(1, "ohm")'));
try {
  console.log((a.result.power as unknown as number) * 2);
  process.exitCode = 1;
} catch (error) {
  if (!(error instanceof TypeError)) throw error;
}

for (const fault of ["well", "tampered", "older", "busy", "full", "later", "gateway", "moved"]) {
  try {
    await at(fault).ohmsLaw(fault === "well" ? ohms(12, 0) : ohms(12, 8));
    console.log(fault, "answer");
  } catch (error) {
    console.log(fault, word(error));
  }
}
try {
  await new Client(`${argv[2]}/silent`, { timeoutMilliseconds: 50 }).ohmsLaw(ohms(12, 8));
} catch (error) {
  console.log("silent", error instanceof Error && error.name === "TimeoutError");
}

for (const fault of ["well", "crowded", "ending", "tampered", "short", "full"]) {
  let [taken, answered, refused, lead, sum, end] = [0, 0, 0, 0, 0, "ends"];
  const rows = function* (): Generator<OhmsLawInput> {
    for (; taken < 2500; taken++) yield ohms(taken, taken % 1700);
  };
  try {
    for await (const row of at(fault).ohmsLawBatch(rows())) {
      lead = Math.max(lead, taken - answered - refused);
      if (!(row instanceof Problem)) {
        answered++;
        sum += row.result.power.value;
      } else if (row.status === 400) refused++;
      else end = word(row);
    }
  } catch (error) {
    end = word(error);
  }
  console.log(fault, "batch", answered, refused, sum, lead <= 1000, end);
}

// What the types refuse. None of it is called.
export const wrong = (c: Client, r: OhmsLawResult): unknown => [
  // @ts-expect-error a number needs its unit
  () => c.ohmsLaw({ voltage: 12 }),
  // @ts-expect-error a force is no voltage
  () => c.ohmsLaw({ voltage: q(12, "N") }),
  // @ts-expect-error there is no such input
  () => c.ohmsLaw({ volts: q(12, "V") }),
  // @ts-expect-error the temperature is required
  () => c.greySurfaceRadiation({ emissivity: 0.9 }),
  // @ts-expect-error there is no such choice
  () => c.wattsToAmps({ dir: "amps_to_volts", primary: 6001, volts: q(0.4, "kV") }),
  // @ts-expect-error watts are no volts
  (r.voltage = r.power),
  // @ts-expect-error a quantity is no number
  r.power * 2,
];
