// Tests of the package as it is published: npm run bundle, npm test.
'use strict'
const assert = require('node:assert')
const { spawnSync } = require('node:child_process')
const fs = require('node:fs')
const os = require('node:os')
const path = require('node:path')
const { test } = require('node:test')
const { Engine, Exact, Fields, Rejection } = require('../dist/engine.js')

const spec = {
  capability_id: 'test.package.any',
  calculation_version: '1.0.0',
  inputs: [{ name: 'x', type: 'number' }, { name: 'y', type: 'number' }],
  outputs: [{ name: 'z', type: 'number', required: true }],
  formulas: [{ id: 'z_v1' }],
  errors: ['TOO_ODD'],
  warnings: ['DIM']
}

// message is a value as it is sent, from one as sdk/testdata has it.
function message (x) {
  if (x === null || x === undefined) return {}
  if (Array.isArray(x)) return { kind: 'list', list: { values: x.map(message) } }
  if (x.exact !== undefined) return { kind: 'exact', exact: x.exact }
  if (x.record !== undefined) return { kind: 'record', record: { values: x.record.map(message) } }
  return { kind: 'number', number: x }
}

const call = (...sent) => ({ id: '7', inputs: sent.map(message) })

function outcome (answer) {
  return new Engine(spec, () => {
    if (answer instanceof Error) throw answer
    return answer
  }).outcome(call(1, null))
}

test('numbers outside of their ranges are rejected as the SDK does', () => {
  const shared = JSON.parse(fs.readFileSync(path.join(__dirname, '../../testdata/ranges.json'), 'utf8'))
  const engine = new Engine(shared.spec, () => ({ result: [1] }))
  for (const { sent, rejection: want } of shared.cases) {
    const o = engine.outcome(call(...sent))
    if (want === null) {
      assert.ok(o.answer, JSON.stringify(o))
      continue
    }
    assert.deepStrictEqual(o.rejection, {
      code: want.Code,
      field: want.Field,
      detail: want.Detail,
      suggestion: want.Suggestion,
      invalid: want.Invalid.map(i => ({ name: i.Name, constraint: i.Constraint }))
    })
  }
})

test('an answer', () => {
  const o = outcome({ result: [-0], formula: 'z_v1', assumptions: ['Round.'], warnings: [{ code: 'DIM', severity: 'info', detail: 'Dim.' }], derived: { y: 3 } })
  assert.ok(Object.is(o.answer.result[0].number, 0))
  assert.deepStrictEqual([o.id, o.answer.inputs[1], o.answer.inputs[0].number, o.answer.warnings.length], ['7', { number: 3 }, 1, 1])
})

test('rejections and what numbers have lost', () => {
  assert.strictEqual(outcome(new Rejection('TOO_ODD', 'x', 'x is odd')).rejection.invalid[0].constraint, 'x is odd')
  for (const x of [NaN, Infinity]) assert.strictEqual(outcome({ result: [x] }).rejection.code, 'NON_FINITE_RESULT')
  assert.strictEqual(outcome({ result: [1], derived: { y: Infinity } }).rejection.field, 'y')
  assert.strictEqual(outcome({ result: [5e-324] }).answer.warnings[0].code, 'RESULT_SUBNORMAL')
})

test('faults are told', () => {
  const many = (n, x) => Array.from({ length: n }, () => x)
  for (const [answer, told] of [
    [{ result: [] }, '0 values for 1 outputs'], [{ result: [undefined] }, 'z is required'], [{ result: [1], formula: 'y_v1' }, 'no formula'],
    [{ result: [1], assumptions: many(33, 'a') }, '33 assumptions: at most 32'], [{ result: [1], warnings: many(33, { code: 'DIM', severity: 'info', detail: 'a' }) }, '33 warnings'],
    [{ result: [1], assumptions: ['ä'.repeat(2049)] }, '4098 bytes: at most 4096'], [{ result: [1], warnings: [{ code: 'DARK', severity: 'info', detail: '' }] }, 'DARK is not declared'],
    [{ result: [1], warnings: [{ code: 'DIM', severity: 'caution', detail: '' }] }, 'info, warning, critical are'], [{ result: [1], derived: { x: 2 } }, 'x was sent'],
    [new Rejection('ODD', 'x', ''), 'ODD is not declared'], [new TypeError('by zero'), 'by zero']
  ]) assert.ok(outcome(answer).failure?.includes(told), `${JSON.stringify(outcome(answer))} has no ${told}`)
})

test('every kind of value comes and goes', () => {
  const fields = ['a', 'b', 'c', 'd'].map(name => ({ name, type: 'number' }))
  fields[2].fields = [{ name: 'u', type: 'number' }, { name: 'v', type: 'number' }]
  const kinds = { ...spec, inputs: fields, outputs: fields }
  let seen
  const engine = new Engine(kinds, (...inputs) => { seen = inputs; return { result: inputs } })
  const sent = [{ exact: '1.50' }, [1, 2], { record: [1, null] }, null]
  const o = engine.outcome(call(...sent))
  assert.ok(seen[0] instanceof Exact && seen[2] instanceof Fields && seen[3] === undefined)
  assert.deepStrictEqual(o.answer.result, [
    { exact: '1.50' }, { list: { values: [{ number: 1 }, { number: 2 }] } }, { record: { values: [{ number: 1 }, {}] } }, {}
  ])
})

test('pictures', () => {
  const plotted = { ...spec, plots: [{ id: 'p' }] }
  const engine = new Engine(plotted, () => ({ result: [1] }), (plot, x, y) => ({ curves: [{ label: plot, x: [x], y: [y] }] }))
  const { figure } = engine.drawing({ plot: 'p', call: call(1, 2) })
  assert.deepStrictEqual(JSON.parse(figure), { curves: [{ label: 'p', x: [1], y: [2] }] })
  assert.strictEqual(engine.drawing({ plot: 'p', call: call(1, Infinity) }).rejection.code, 'NON_FINITE_RESULT')
  assert.throws(() => new Engine(plotted, () => ({ result: [1] })), /plots/)
})

test('what a directory lacks is told', () => {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), 'slipstick-engine-test-'))
  try {
    for (const name of ['engine.js', 'vectors.json']) {
      const { status, stderr } = spawnSync(process.execPath, [path.join(__dirname, '../dist/build.js'), 'build', dir])
      assert.ok(status === 1 && String(stderr).includes(`has no ${name}`), String(stderr))
      fs.writeFileSync(path.join(dir, name), '')
    }
  } finally {
    fs.rmSync(dir, { recursive: true })
  }
})
