// The official TypeScript client searches, describes, executes, and creates and reads a snapshot, in the
// current and the previous revision. See judge.
import assert from 'node:assert/strict';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const [target, ...command] = process.argv.slice(2);
const overHTTP = target !== '--';

function transport(headers = {}) {
    if (overHTTP) return new StreamableHTTPClientTransport(new URL(target), { requestInit: { headers } });
    return new StdioClientTransport({ command: command[0], args: command.slice(1), stderr: 'inherit' });
}

async function connect(mode, headers) {
    const client = new Client({ name: 'judge', version: '1.0.0' }, { versionNegotiation: { mode } });
    await client.connect(transport(headers));
    return client;
}

// call calls a tool. The client checks structured content against the output schema.
async function call(client, name, args) {
    const result = await client.callTool({ name, arguments: args });
    assert.match(result.content[0].text, /^[^{]/, `${name}: the text is not a summary`);
    return { ...result.structuredContent, isError: result.isError ?? false };
}

const grey = { capability_id: 'grey-surface-radiation', inputs: { emissivity: 0.9, temperature: 350 } };

async function judge(mode, revision) {
    const client = await connect(mode);
    assert.equal(client.getNegotiatedProtocolVersion(), revision);
    assert.match(client.getInstructions(), /search_capabilities/);

    const { tools } = await client.listTools();
    assert.equal(tools.length, 7);
    for (const tool of tools) assert.ok(tool.title && tool.outputSchema && tool.annotations.openWorldHint === false, tool.name);

    const found = await call(client, 'search_capabilities', { query: 'amps for a 3 kW heater' });
    assert.equal(found.capabilities[0].capability_id, 'electrical.convert.watts_amps');
    const described = await call(client, 'describe_capability', { capability_id: found.capabilities[0].capability_id });
    const example = await call(client, 'execute_calculation', described.example);
    assert.equal(example.status, 'success');
    assert.equal(example.calculation_version, described.calculation_version);

    const pinned = await call(client, 'execute_calculation', { ...grey, calculation_version: '1.0.0' });
    assert.equal(pinned.result.heat_flux, 765.81850314375);
    for (const [args, code, status] of [
        [{ ...grey, calculation_version: '9.9.9' }, 'VERSION_MISMATCH', 409],
        [{ ...grey, calculation_version: '' }, 'INVALID_VERSION_PIN', 400],
        [{ ...grey, capability_id: 'grey-surface' }, 'CAPABILITY_NOT_FOUND', 404],
        [{ ...grey, inputs: { emissivity: 'much', temperature: 350 } }, 'INVALID_NUMBER', 400]
    ]) {
        const refused = await call(client, 'execute_calculation', args);
        assert.deepEqual([refused.isError, refused.status, refused.code, refused.http_status], [true, 'error', code, status]);
    }

    await assert.rejects(client.callTool({ name: 'calculate', arguments: {} }), { code: -32602, message: /execute_calculation/ });
    await assert.rejects(client.callTool({ name: 'execute_calculation', arguments: [1] }), { code: -32602 });

    const frozen = await call(client, 'create_snapshot', { ...grey, calculation_version: '1.0.0' });
    assert.deepEqual({ ...frozen.result, isError: false }, pinned);
    const read = await call(client, 'get_snapshot', { id: frozen.id });
    assert.deepEqual(read, frozen);
    const resource = await client.readResource({ uri: 'calc://snapshots/' + frozen.id });
    assert.deepEqual({ ...JSON.parse(resource.contents[0].text), isError: false }, frozen);
    await assert.rejects(client.readResource({ uri: 'calc://snapshots/cx_e1_nothing' }), { code: -32602 });

    const { versions } = await call(client, 'list_versions', { capability_id: grey.capability_id });
    assert.deepEqual(versions.map(v => v.calculation_version), ['2.0.0', '1.0.0']);
    const { completion } = await client.complete({
        ref: { type: 'ref/resource', uri: 'calc://capabilities/{capability_id}@{version}' }, argument: { name: 'capability_id', value: 'thermo' }
    });
    assert.deepEqual(completion.values, ['thermo.radiation.grey_surface']);
    const prompt = await client.getPrompt({ name: 'solve', arguments: { question: 'How hot?' } });
    assert.match(prompt.messages[0].content.text, /How hot\?/);
    assert.equal((await client.listResourceTemplates()).resourceTemplates.length, 3);
    await client.close();

    if (overHTTP) {
        const contrary = await connect(mode, { 'Service-Spec-Version': '2.0.0' });
        const refused = await call(contrary, 'execute_calculation', { ...grey, calculation_version: '1.0.0' });
        assert.deepEqual([refused.isError, refused.code, refused.pins.length], [true, 'VERSION_PIN_CONFLICT', 2]);
        await contrary.close();
    }
    console.log(`typescript client, ${revision} over ${overHTTP ? 'http' : 'stdio'}: all as it should be`);
}

await judge({ pin: '2026-07-28' }, '2026-07-28');
await judge('legacy', '2025-11-25');
