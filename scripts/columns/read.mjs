// Prints the columns and rows of an Arrow file, as main.go does, with Arrow's library for JavaScript.
import { readFileSync } from 'node:fs';
import { DataType, RecordBatchReader } from 'apache-arrow';

const bits = new DataView(new ArrayBuffer(8));

// decimal writes a number of 32-bit words, the lowest first, with digits after the point.
function decimal(words, scale) {
	let n = 0n;
	words.forEach((word, i) => { n |= BigInt(word >>> 0) << BigInt(32 * i); });
	n = BigInt.asIntN(32 * words.length, n);
	let digits = (n < 0n ? -n : n).toString().padStart(scale + 1, '0');
	if (scale > 0) digits = `${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
	return (n < 0n ? '-' : '') + digits;
}

function cell(type, v) {
	if (v === null) return '-';
	if (DataType.isFloat(type)) {
		bits.setFloat64(0, v);
		return bits.getBigUint64(0).toString(16);
	}
	if (DataType.isDecimal(type)) return decimal(Array.from(new Uint32Array(v.buffer, v.byteOffset, v.byteLength / 4)), type.scale);
	return String(v);
}

let lines;
for (const batch of RecordBatchReader.from(readFileSync(process.argv[2]))) {
	const { fields } = batch.schema;
	lines ??= fields.map(f => `${f.name}: ${f.type} ${f.metadata.get('unit') ?? ''}`);
	const columns = fields.map((_, i) => batch.getChildAt(i));
	for (let row = 0; row < batch.numRows; row++) lines.push(columns.map((c, i) => `${cell(fields[i].type, c.get(row))}|`).join(''));
}
console.log(lines.join('\n'));
