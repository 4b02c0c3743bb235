// Writes tables with DuckDB, Polars and Apache Arrow, sends them to a server, and reads the answers with the other two
// programs: node judge.mjs URL. The numbers must be bit-identical to one call for each row.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import * as arrow from 'apache-arrow';
import { parquetReadObjects } from 'hyparquet';
import pl from 'nodejs-polars';

const [url] = process.argv.slice(2);
const dir = mkdtempSync(join(tmpdir(), 'tables-'));
const parquet = 'application/vnd.apache.parquet';
const arrowFile = 'application/vnd.apache.arrow.file';
const arrowStream = 'application/vnd.apache.arrow.stream';

const count = 10_000;
const rows = Array.from({ length: count }, (_, i) => ({
	wire: i % 3 ? `wire ${i}` : null,
	V: 1.5 + Math.sqrt(i),
	R: i % 100 === 7 ? null : 0.1 * (i + 1), // a null is an input that is not sent
}));

const duck = await (await DuckDBInstance.create()).connect();
await duck.run('CREATE TABLE wires (wire VARCHAR, V DOUBLE, R DOUBLE)');
const appender = await duck.createAppender('wires');
for (const row of rows) {
	row.wire === null ? appender.appendNull() : appender.appendVarchar(row.wire);
	appender.appendDouble(row.V);
	row.R === null ? appender.appendNull() : appender.appendDouble(row.R);
	appender.endRow();
}
appender.closeSync();

const frame = pl.DataFrame({ wire: rows.map((r) => r.wire), V: rows.map((r) => r.V), R: rows.map((r) => r.R) });
const arrowTable = arrow.tableFromArrays({ V: Float64Array.from(rows, (r) => r.V) }).assign(
	new arrow.Table({
		wire: arrow.vectorFromArray(rows.map((r) => r.wire), new arrow.Dictionary(new arrow.Utf8(), new arrow.Int32())),
		R: arrow.vectorFromArray(rows.map((r) => r.R), new arrow.Float64()),
	}),
);

const duckFile = async (options) => {
	const path = join(dir, 'duck.parquet');
	await duck.run(`COPY wires TO '${path}' (FORMAT parquet${options})`);
	return readFileSync(path);
};
const writers = [
	['DuckDB, Snappy', parquet, () => duckFile('')],
	['DuckDB, zstd, small groups', parquet, () => duckFile(', COMPRESSION zstd, ROW_GROUP_SIZE 2048')],
	['DuckDB, gzip, version 2', parquet, () => duckFile(', COMPRESSION gzip, PARQUET_VERSION v2')],
	['Polars, Parquet', parquet, () => frame.writeParquet({ compression: 'zstd' })],
	['Polars, Parquet, uncompressed', parquet, () => frame.writeParquet({ compression: 'uncompressed' })],
	['Polars, IPC', arrowFile, () => frame.writeIPC()],
	['Polars, IPC, LZ4', arrowFile, () => frame.writeIPC({ compression: 'lz4' })],
	['Polars, IPC, zstd', arrowFile, () => frame.writeIPC({ compression: 'zstd' })],
	['Apache Arrow, stream', arrowStream, () => arrow.tableToIPC(arrowTable, 'stream')],
];

const fromArrow = (bytes) => arrow.tableFromIPC(bytes).toArray().map((row) => row.toJSON());
const fromPolars = (frame) => frame.toRecords();
const readers = [
	['DuckDB', parquet, async (bytes) => {
		const path = join(dir, 'answer.parquet');
		writeFileSync(path, bytes);
		return (await duck.runAndReadAll(`SELECT * FROM '${path}'`)).getRowObjects();
	}],
	['hyparquet', parquet, (bytes) => parquetReadObjects({ file: bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength) })],
	['Polars, Parquet', parquet, (bytes) => fromPolars(pl.readParquet(bytes))],
	['Polars, IPC', arrowFile, (bytes) => fromPolars(pl.readIPC(bytes))],
	['Polars, stream', arrowStream, (bytes) => fromPolars(pl.readIPCStream(bytes))],
	['Apache Arrow, file', arrowFile, fromArrow],
	['Apache Arrow, stream', arrowStream, fromArrow],
];

async function compute(media, bytes, accept) {
	const answer = await fetch(`${url}/api/v1/batch?id=ohms-law&calculation_version=1.0.0`, { method: 'POST', headers: { 'Content-Type': media, Accept: accept }, body: bytes });
	assert.equal(answer.status, 200, answer.status === 200 ? '' : await answer.text());
	assert.equal(answer.headers.get('Content-Type'), accept);
	return Buffer.from(await answer.arrayBuffer());
}

const lines = rows.map(({ V, R }) => JSON.stringify({ id: 'ohms-law', calculation_version: '1.0.0', inputs: R === null ? { V } : { V, R } }));
const text = await (await fetch(`${url}/api/v1/batch`, { method: 'POST', headers: { 'Content-Type': 'application/x-ndjson' }, body: lines.join('\n') })).text();
const want = text.trimEnd().split('\n').map((line) => JSON.parse(line));
assert.equal(want.length, count);

let pairs = 0;
for (const [writer, media, write] of writers) {
	const bytes = await write();
	for (const [reader, accept, read] of readers) {
		const got = await read(await compute(media, bytes, accept));
		assert.equal(got.length, count, `${writer}, read by ${reader}`);
		got.forEach((row, i) => {
			const where = `${writer}, read by ${reader}, row ${i + 1}`;
			assert.equal(row.wire ?? null, rows[i].wire, where);
			assert.ok(Object.is(row.V, rows[i].V) && Object.is(row.R ?? null, rows[i].R), where);
			assert.equal(row.error_code ?? undefined, want[i].code, where);
			for (const [column, output] of Object.entries({ 'voltage [V]': 'voltage', 'current [A]': 'current', 'resistance [ohm]': 'resistance', 'power [W]': 'power' })) {
				assert.ok(Object.is(row[column] ?? undefined, want[i].result?.[output]), `${where}: ${column} is ${row[column]}, want ${want[i].result?.[output]}`);
			}
		});
		pairs++;
	}
	console.log(`${writer}: ${bytes.length} bytes, ${count} rows, the same numbers in ${readers.length} readers`);
}
rmSync(dir, { recursive: true });
console.log(`${pairs} pairs of a writer and a reader: the same bits and codes in ${pairs * count} rows`);
process.exit(0);
