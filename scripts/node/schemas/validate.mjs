// Validates documents against schemas with Ajv: see judge.
import { readFileSync } from "node:fs";
import Ajv from "ajv/dist/2020.js";

const told = JSON.parse(readFileSync(process.argv[2], "utf8")).map(({ schema, texts }) => {
  // strictRequired does not see properties that stand outside of an anyOf.
  const ajv = new Ajv({ strict: true, strictRequired: false, allErrors: true });
  const validate = ajv.compile(schema);
  return texts.map((text) => (validate(JSON.parse(text)) ? "" : ajv.errorsText(validate.errors)));
});
process.stdout.write(JSON.stringify(told));
