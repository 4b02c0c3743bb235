// Which numbers lie outside of the ranges that a Spec declares, and how are they rejected?
'use strict'
const { Exact, Fields, Rejection, numberOf } = require('./values.js')

const maxNotes = 32
const endsElsewhere = r => Boolean(r.minimum_input || r.maximum_input)

// check rejects numbers that lie outside: first those with fixed ends, then those with an end at another
// input, then those inside lists and objects. All of one kind are rejected together.
function check (fields, sent) {
  for (const bound of [false, true]) {
    const found = []
    fields.forEach((field, i) => {
      if (!field.range || (bound && !endsElsewhere(field.range))) return
      const range = bound ? within(field.range, fields, sent) : field.range
      if (outside(range, sent[i])) found.push({ input: field.name, place: field.name, field, range, value: sent[i] })
    })
    reject(found)
  }
  const found = []
  fields.forEach((field, i) => inside(field.name, field.name, field, sent[i], found))
  reject(found)
}

// within is the range with the numbers of the fields at which it ends. Where one has none, it is open.
function within (range, fields, values) {
  const fixed = { ...range }
  for (const end of ['minimum', 'maximum']) {
    const x = numberOf(values[fields.findIndex(f => f.name === range[end + '_input'])])
    if (x !== undefined) fixed[end] = x
  }
  return fixed
}

function outside (range, value) {
  if (Array.isArray(value)) return value.some(item => outside(range, item))
  const x = numberOf(value)
  if (x === undefined) return false
  const { minimum: low = -Infinity, maximum: high = Infinity } = range
  return x < low || x > high || (x === low && Boolean(range.minimum_excluded)) || (x === high && Boolean(range.maximum_excluded))
}

// inside collects the numbers inside lists and objects that lie outside.
function inside (input, place, field, value, found) {
  const one = (inner, at, range, x) => {
    if (range && found.length < maxNotes && outside(range, x)) found.push({ input, place: at, field: inner, range, value: x })
    inside(input, at, inner, x, found)
  }
  if (Array.isArray(value) && field.items) {
    value.forEach((x, i) => one(field.items, `${place}.${i}`, field.items.range, x))
  } else if (value instanceof Fields) {
    field.fields.forEach((f, i) => one(f, `${place}.${f.name}`, f.range && within(f.range, field.fields, value.values), value.values[i]))
  }
}

function reject (found) {
  if (found.length === 0) return
  const { input, place, field, range, value } = found[0]
  const given = ['minimum', 'maximum'].filter(end => field.range[end + '_input'] && range[end] !== undefined)
    .map(end => `${field.range[end + '_input']} is ${range[end]}`)
  const shown = Array.isArray(value) ? 'a list with a value outside' : value instanceof Exact ? value.text : value
  throw new Rejection(field.range.code, input,
    `${place} is ${shown}: it must be ${words(field.range)}` + (given.length > 0 ? ', and ' + given.join(', ') : ''),
    `Send a value of ${place} ${words(field.range)}${field.unit ? ', in ' + field.unit : ''}.`,
    found.slice(0, maxNotes).map(f => ({ name: f.place, constraint: 'must be ' + words(f.field.range) })))
}

// words describes the interval, as in "greater than 0" or "between 0 and length".
function words (range) {
  const end = name => range[name + '_input'] || (range[name] === undefined ? '' : String(range[name]))
  const low = end('minimum')
  const high = end('maximum')
  if (low && high && !range.minimum_excluded && !range.maximum_excluded) return `between ${low} and ${high}`
  const above = low && (range.minimum_excluded ? 'greater than ' : 'at least ') + low
  const below = high && (range.maximum_excluded ? 'less than ' : 'at most ') + high
  return [above, below].filter(Boolean).join(' and ')
}

module.exports = { check, maxNotes }
