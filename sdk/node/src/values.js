// What does a field hold, and what may an engine answer?
'use strict'

// Exact is a decimal literal that has not been rounded.
class Exact { constructor (text) { this.text = text } }

// Fields has the values of an object, in the order of its fields.
class Fields { constructor (values) { this.values = values } }

// Rejection is the caller's fault: a declared code, the input at fault, what is wrong, what to do, and
// every input that is wrong in the same way.
class Rejection extends Error {
  constructor (code, field, detail, suggestion = '', invalid = []) {
    super(detail)
    if (invalid.length === 0 && field) invalid = [{ name: field, constraint: detail }]
    this.rejection = { code, field, detail, suggestion, invalid }
  }
}

const severities = ['info', 'warning', 'critical']

// numberOf is the number of a value, or undefined.
function numberOf (x) {
  if (x instanceof Exact) return Number(x.text)
  return typeof x === 'number' ? x : undefined
}

module.exports = { Exact, Fields, Rejection, severities, numberOf }
