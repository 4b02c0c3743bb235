// How is a calculation served to a Slipstick host?
'use strict'
const path = require('node:path')
const grpc = require('@grpc/grpc-js')
const loader = require('@grpc/proto-loader')
const protobuf = require('protobufjs')
const contract = require('engine.proto')
const ranges = require('./ranges.js')
const { Exact, Fields, Rejection, severities } = require('./values.js')

// The limits of the contract.
const maxText = 4 << 10
const maxMessage = 1 << 20
const smallestNormal = 2 ** -1022
const undeclared = ['MISSING_REQUIRED_INPUT', 'CONFLICTING_INPUTS', 'NON_FINITE_RESULT']
const undeclaredWarnings = ['RESULT_UNDERFLOW', 'RESULT_SUBNORMAL']

// Engine is a calculation: its Spec, the function from inputs to an answer, and the one that draws its plots.
class Engine {
  constructor (spec, calculate, draw) {
    if (Boolean(spec.plots?.length) !== Boolean(draw)) throw new Error('plots of the Spec and a function that draws them: there are both, or neither')
    this.spec = spec
    this.calculate = calculate
    this.draw = draw
    this.codes = new Set([...undeclared, ...(spec.errors ?? []), ...rangeCodes(spec.inputs)])
  }

  // outcome answers a call, whatever happens: a host takes a gRPC error for a broken engine.
  outcome (call) {
    return this.#answered(call, sent => ({ answer: this.#answer(call, sent, this.calculate(...sent)) }))
  }

  drawing (request) {
    return this.#answered(request.call, sent => {
      const figure = JSON.stringify(this.draw(request.plot, ...sent), (key, x) => {
        if (typeof x === 'number' && !Number.isFinite(x)) {
          throw new Rejection('NON_FINITE_RESULT', '', `the plot ${request.plot} has a number beyond the range of binary64 numbers for these inputs`, 'Use inputs of smaller magnitude.')
        }
        return x
      })
      return { figure: Buffer.from(figure) }
    })
  }

  #answered (call, answer) {
    try {
      const sent = (call.inputs ?? []).map(fromMessage)
      ranges.check(this.spec.inputs, sent)
      return { id: call.id, ...answer(sent) }
    } catch (e) {
      try {
        if (e instanceof Rejection) return { id: call.id, rejection: this.#rejection(e.rejection) }
      } catch (fault) { e = fault }
      return { id: call.id, failure: String(e).slice(0, maxText / 4) } // ours, and logged by the host
    }
  }

  #answer (call, sent, answer) {
    const { spec } = this
    const names = spec.inputs.map(f => f.name)
    const derived = answer.derived ?? {}
    for (const [name, x] of Object.entries(derived)) {
      if (!names.includes(name)) throw new Error(`${name} is no input`)
      if (sent[names.indexOf(name)] !== undefined) throw new Error(`${name} was sent, and what was sent is not changed`)
      finite(name, x)
    }
    if (answer.result.length !== spec.outputs.length) throw new Error(`${answer.result.length} values for ${spec.outputs.length} outputs`)
    const warnings = [...(answer.warnings ?? [])]
    spec.outputs.forEach((output, i) => {
      const x = answer.result[i]
      finite(output.name, x)
      if (x === undefined && output.required) throw new Error(`${output.name} is required, and has no value`)
      warnings.push(...subnormal(output.name, x))
    })
    if (answer.formula && !(spec.formulas ?? []).some(f => f.id === answer.formula)) throw new Error(`"${answer.formula}" is the id of no formula of the Spec`)
    for (const w of warnings) {
      if (!undeclaredWarnings.includes(w.code) && !(spec.warnings ?? []).includes(w.code)) throw new Error(`the warning ${w.code} is not declared in the Spec`)
      if (!severities.includes(w.severity)) throw new Error(`"${w.severity}" is no severity: ${severities.join(', ')} are`)
      short(w.detail)
      short(w.suggestion ?? '')
    }
    const assumptions = answer.assumptions ?? []
    few('assumptions', assumptions)
    few('warnings', warnings)
    assumptions.forEach(short)
    return {
      result: answer.result.map(toMessage),
      inputs: names.map((name, i) => Object.hasOwn(derived, name) ? toMessage(derived[name]) : call.inputs[i]),
      formula: answer.formula ?? '',
      assumptions,
      warnings
    }
  }

  #rejection (r) {
    if (!this.codes.has(r.code)) throw new Error(`the code ${r.code} is not declared in the Spec`)
    short(r.detail)
    short(r.suggestion)
    return { ...r, invalid: r.invalid.slice(0, ranges.maxNotes) }
  }

  // serve answers a host until it ends the process.
  serve (vectors) {
    const { spec } = this
    if (process.env.SLIPSTICK_ENGINE !== 'f0c2ce5d-slide-rule') {
      console.error(`This is the engine ${spec.capability_id} ${spec.calculation_version}. A Slipstick host runs it.`)
      process.exit(1)
    }
    const root = protobuf.parse(contract, { keepCase: true }).root
    const messages = loader.fromJSON(root.toJSON(), { keepCase: true, longs: String, oneofs: true })
    const description = { spec: Buffer.from(JSON.stringify(spec)), vectors: Buffer.from(JSON.stringify(vectors)) }
    const service = messages['slipstick.engine.v1.Engine']
    const bounded = (method, make) => (call, done) => {
      const reply = make(call.request)
      const size = service[method].responseSerialize(reply).length
      done(null, size <= maxMessage ? reply : { id: reply.id, failure: `the answer has ${size} bytes: at most ${maxMessage}` })
    }
    const server = new grpc.Server()
    server.addService(service, {
      Describe: (call, done) => done(null, description),
      Calculate: bounded('Calculate', call => this.outcome(call)),
      Draw: bounded('Draw', request => this.drawing(request))
    })
    server.addService(health, { Check: (call, done) => done(null, serving) })
    const address = path.join(process.env.PLUGIN_UNIX_SOCKET_DIR, 'engine')
    server.bindAsync('unix:' + address, grpc.ServerCredentials.createInsecure(), err => {
      if (err) throw err
      console.log(`1|1|unix|${address}|grpc`)
    })
  }
}

// health is what go-plugin asks: grpc.health.v1 with the one answer SERVING.
const health = {
  Check: {
    path: '/grpc.health.v1.Health/Check',
    requestStream: false,
    responseStream: false,
    requestDeserialize: bytes => bytes,
    responseSerialize: bytes => bytes
  }
}
const serving = Buffer.from([0x08, 0x01])

function rangeCodes (fields) {
  return fields.flatMap(f => [...(f.range ? [f.range.code] : []), ...rangeCodes(f.fields ?? []), ...rangeCodes(f.items ? [f.items] : [])])
}

const itemsOf = x => Array.isArray(x) ? x : x instanceof Fields ? x.values : undefined

function finite (name, x) {
  itemsOf(x)?.forEach(item => finite(name, item))
  if (typeof x === 'number' && !Number.isFinite(x)) {
    throw new Rejection('NON_FINITE_RESULT', name, `${name} is beyond the range of binary64 numbers for these inputs`, 'Use inputs of smaller magnitude.')
  }
}

// subnormal is what the SDK in Go says of numbers that have lost digits.
function subnormal (name, x) {
  const items = itemsOf(x)
  if (items) return items.flatMap(item => subnormal(name, item))
  if (typeof x !== 'number' || x === 0 || Math.abs(x) >= smallestNormal) return []
  return [{
    code: 'RESULT_SUBNORMAL',
    severity: 'warning',
    detail: `${name} = ${x} is below the normal range of binary64 numbers and has fewer significant digits.`,
    suggestion: 'Use inputs of larger magnitude if the digits matter.'
  }]
}

function short (text) {
  const size = Buffer.byteLength(text)
  if (size > maxText) throw new Error(`a text of ${size} bytes: at most ${maxText}`)
}

function few (what, notes) {
  if (notes.length > ranges.maxNotes) throw new Error(`${notes.length} ${what}: at most ${ranges.maxNotes}`)
}

function fromMessage (v) {
  switch (v.kind) {
    case undefined: return undefined
    case 'exact': return new Exact(v.exact)
    case 'list': return (v.list.values ?? []).map(fromMessage)
    case 'record': return new Fields((v.record.values ?? []).map(fromMessage))
  }
  return v[v.kind]
}

function toMessage (x) {
  if (x === undefined) return {}
  if (typeof x === 'number') return { number: x + 0 } // negative zero becomes zero
  if (typeof x === 'string') return { text: x }
  if (typeof x === 'boolean') return { truth: x }
  if (x instanceof Exact) return { exact: x.text }
  if (x instanceof Fields) return { record: { values: x.values.map(toMessage) } }
  return { list: { values: x.map(toMessage) } }
}

module.exports = { Engine, Exact, Fields, Rejection }
