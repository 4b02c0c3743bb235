// The command line of the Inspector searches, executes, causes a pin conflict and creates a snapshot.
// See judge.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const [url] = process.argv.slice(2);
const cli = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/inspector/clients/cli/build/index.js');
const home = mkdtempSync(join(tmpdir(), 'inspector-')); // it keeps a catalog there

// inspect returns the output of the inspector. If a tool fails, the inspector prints the result and exits with an
// error.
function inspect(...args) {
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'], env: { ...process.env, HOME: home } };
    try {
        return JSON.parse(execFileSync(process.execPath, [cli, url, '--transport', 'http', ...args], options));
    } catch (e) {
        if (!e.stdout) throw e;
        return JSON.parse(e.stdout);
    }
}

const call = (name, args, ...rest) => inspect('--method', 'tools/call', '--tool-name', name, '--tool-arg', ...args, ...rest);
const grey = ['capability_id=grey-surface-radiation', 'inputs={"emissivity":0.9,"temperature":350}', 'calculation_version="1.0.0"'];

try {
    assert.equal(inspect('--method', 'tools/list', '--strict').tools.length, 7); // strict: schemas that every provider takes
    const found = call('search_capabilities', ['query=how much does a shelf bracket bend']);
    assert.equal(found.structuredContent.capabilities[0].tool, 'cantilever-deflection');
    const executed = call('execute_calculation', grey);
    assert.equal(executed.structuredContent.result.heat_flux, 765.81850314375);
    const conflict = call('execute_calculation', grey, '--header', 'Service-Spec-Version: 2.0.0');
    assert.deepEqual([conflict.isError, conflict.structuredContent.code], [true, 'VERSION_PIN_CONFLICT']);
    const frozen = call('create_snapshot', grey).structuredContent;
    assert.deepEqual(frozen.result, executed.structuredContent);
    assert.deepEqual(call('get_snapshot', ['id=' + frozen.id]).structuredContent, frozen);
    console.log('inspector: all as it should be');
} finally {
    rmSync(home, { recursive: true });
}
