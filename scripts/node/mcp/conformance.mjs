// Runs the official conformance suite and prints the failures. See judge.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Scenarios that need only the features that the revision requires of every server.
const own = {
    '2026-07-28': [
        'server-stateless', 'tools-list', 'resources-list', 'prompts-list', 'sep-2164-resource-not-found', 'dns-rebinding-protection',
        'caching', 'server-sse-multiple-streams', 'http-header-validation', 'input-required-result-unsupported-methods'
    ],
    '2025-11-25': ['server-initialize', 'ping', 'tools-list', 'resources-list', 'prompts-list', 'dns-rebinding-protection', 'server-sse-multiple-streams']
};
// Scenarios for features that the revision does not require, which the suite has already.
const pending = ['json-schema-2020-12', 'http-header-validation', 'http-custom-header-server-validation'];

const [url, revision, only] = process.argv.slice(2);
const suite = join(import.meta.dirname, 'node_modules/@modelcontextprotocol/conformance');

// required lists the server scenarios of the revision, from a file of the suite.
function required() {
    const text = readFileSync(join(suite, 'requirements', revision + '.yaml'), 'utf8');
    const section = text.slice(text.indexOf('\nserver:')).split(/\n(?=[a-z_]+:)/)[1];
    return [...section.matchAll(/^ {2}- ([\w-]+)$/gm)].map(m => m[1]);
}

// run returns the checks by scenario. The exit code of the suite also counts other scenarios.
function run(results) {
    const command = ['dist/index.js', 'server', '--url', url, '--requirements', revision, '--output-dir', results];
    let said = '';
    try {
        said = execFileSync(process.execPath, command, { cwd: suite, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
    } catch (e) {
        said = e.stdout + e.stderr;
    }
    const checks = new Map();
    for (const dir of readdirSync(results)) {
        const scenario = dir.match(/^server-(.*)-\d{4}-\d\d-\d\dT/)?.[1];
        if (scenario) checks.set(scenario, JSON.parse(readFileSync(join(results, dir, 'checks.json'), 'utf8')));
    }
    if (checks.size === 0) throw new Error('the suite did not run:\n' + said);
    return checks;
}

const results = mkdtempSync(join(tmpdir(), 'conformance-'));
try {
    const checks = run(results);
    const wanted = only === 'own' ? own[revision] : [...required(), ...pending.filter(name => checks.has(name))];
    let passed = 0;
    const failures = [];
    for (const scenario of new Set(wanted)) {
        if (!checks.has(scenario)) failures.push(`${scenario}: did not run`);
        for (const check of checks.get(scenario) ?? []) {
            const needsFixture = only === 'own' && check.details?.untestable;
            if (check.status === 'SUCCESS') passed++;
            if (check.status === 'FAILURE' && !needsFixture) failures.push(`${scenario}: ${check.id}: ${check.errorMessage}`);
        }
    }
    console.log(`conformance ${revision}: ${wanted.length} scenarios, ${passed} checks passed, ${failures.length} failed`);
    for (const failure of failures) console.log('  ' + failure);
    process.exitCode = failures.length === 0 ? 0 : 1;
} finally {
    rmSync(results, { recursive: true });
}
