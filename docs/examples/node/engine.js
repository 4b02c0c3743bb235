// Simple interest to the cent, in integers: no amount of money is ever a binary fraction.
'use strict'
const { Engine, Exact, Rejection } = require('slipstick-engine')

const spec = {
  spec_version: '1.1.0',
  capability_id: 'examples.node.simple_interest',
  calculation_version: '1.0.0',
  tool: 'simple-interest',
  group: 'examples',
  title: 'Simple interest',
  summary: 'Interest on a sum for a number of days, rounded to the cent, half to even.',
  keywords: ['interest', 'day count', 'act/360'],
  inputs: [
    {
      name: 'principal', aliases: ['P'], type: 'number', required: true, decimal_string: true, symbol: 'P', doc: 'Sum that is lent.',
      range: { minimum: 0, code: 'PRINCIPAL_MUST_BE_NONNEGATIVE' }
    },
    {
      name: 'rate', aliases: ['r'], type: 'number', required: true, decimal_string: true, symbol: 'r', doc: 'Rate of a year; 0.05 is five percent.',
      range: { minimum: -1, maximum: 10, code: 'RATE_OUT_OF_RANGE' }
    },
    {
      name: 'days', type: 'integer', required: true, symbol: 'n', doc: 'Days for which interest runs.',
      range: { minimum: 0, maximum: 36600, code: 'DAYS_OUT_OF_RANGE' }
    },
    { name: 'year', type: 'string', default: 'actual_365', enum: ['actual_365', 'actual_360'], doc: 'Days that count as a year.' }
  ],
  outputs: [
    { name: 'interest', type: 'number', required: true, symbol: 'I', doc: 'Interest, to the cent.' },
    { name: 'total', type: 'number', required: true, symbol: 'T', doc: 'Principal and interest, to the cent.' },
    { name: 'unrounded', type: 'number', required: true, symbol: 'x', doc: 'Interest before it is rounded.' }
  ],
  definition: `x = P*r*n/365  if year == "actual_365"  @actual_365_v1
x = P*r*n/360  otherwise             @actual_360_v1
taken I  # x to the cent, half to even
taken T  # P + x to the cent, half to even`,
  formulas: [{ id: 'actual_365_v1', label: 'Actual/365' }, { id: 'actual_360_v1', label: 'Actual/360' }],
  assumptions: [
    'Interest bears no interest.',
    'Interest and total are each rounded once to the cent, half to even.',
    'A number means its shortest decimal form.'
  ],
  references: [{ title: 'ISDA 2006 Definitions', where: 'section 4.16, (d) Actual/365 (Fixed), (e) Actual/360' }],
  errors: ['PRINCIPAL_OUT_OF_RANGE'],
  // What the copy of Node is linked to; the second holds the dynamic linker on amd64.
  read_only_paths: ['/usr/lib', '/usr/lib64']
}

const cents = 100n
const largest = 2n ** 53n // beyond it a number does not hold every cent

function calculate (principal, rate, days, year) {
  const p = rational(principal)
  const r = rational(rate)
  const interest = {
    over: p.over * r.over * BigInt(days),
    under: p.under * r.under * (year === 'actual_360' ? 360n : 365n)
  }
  const total = { over: p.over * interest.under + interest.over * p.under, under: p.under * interest.under }
  const rounded = [interest, total].map(x => roundHalfEven(x.over * cents, x.under))
  if (rounded.some(x => x > largest || x < -largest)) {
    throw new Rejection('PRINCIPAL_OUT_OF_RANGE', 'principal', 'the result has more cents than a number can hold',
      'Send a smaller principal.')
  }
  return { result: [...rounded.map(x => Number(x) / Number(cents)), quotient(interest)], formula: year + '_v1' }
}

// rational is the exact value of a decimal literal, or of the shortest one of a number.
function rational (x) {
  const text = x instanceof Exact ? x.text : String(x)
  const [, sign, whole, fraction = '', exponent = '0'] = /^(-?)(\d+)(?:\.(\d+))?(?:e([-+]?\d+))?$/i.exec(text)
  const digits = BigInt(sign + whole + fraction)
  const scale = Number(exponent) - fraction.length
  return scale < 0 ? { over: digits, under: 10n ** BigInt(-scale) } : { over: digits * 10n ** BigInt(scale), under: 1n }
}

// quotient has more digits than a number keeps, before it becomes one.
function quotient ({ over, under }) {
  const scale = BigInt(Math.max(0, 25 + String(under).length - String(over).length))
  return Number(`${over * 10n ** scale / under}e-${scale}`)
}

function roundHalfEven (over, under) {
  const sign = over < 0n ? -1n : 1n
  const whole = sign * over / under
  const twice = 2n * (sign * over % under)
  const up = twice > under || (twice === under && whole % 2n === 1n)
  return sign * (whole + (up ? 1n : 0n))
}

module.exports = new Engine(spec, calculate)
