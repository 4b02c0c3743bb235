// Serves an engine to a Slipstick host: the contract of docs/contract.md in JavaScript.
//
// An engine is a Spec, vectors and a function from inputs to an answer. Values are
// undefined (absent), numbers, strings, booleans, Exact, arrays and Fields (of an object,
// in order).
'use strict'
const path = require('node:path')
const grpc = require('@grpc/grpc-js')
const loader = require('@grpc/proto-loader')
const protobuf = require('protobufjs')
const contract = require('./engine.proto')

// Exact is a decimal literal that has not been rounded.
class Exact { constructor (text) { this.text = text } }

class Fields { constructor (values) { this.values = values } }

// Rejection is the caller's fault: a declared code, the input at fault, what is wrong,
// what to do.
class Rejection extends Error {
  constructor (code, field, detail, suggestion = '') {
    super(detail)
    this.rejection = { code, field, detail, suggestion, invalid: field ? [{ name: field, constraint: detail }] : [] }
  }
}

function fromValue (v) {
  switch (v.kind) {
    case undefined: return undefined
    case 'exact': return new Exact(v.exact)
    case 'list': return (v.list.values ?? []).map(fromValue)
    case 'record': return new Fields((v.record.values ?? []).map(fromValue))
  }
  return v[v.kind]
}

function toValue (x) {
  if (x === undefined) return {}
  if (typeof x === 'number') return { number: x + 0 } // negative zero becomes zero
  if (typeof x === 'string') return { text: x }
  if (typeof x === 'boolean') return { truth: x }
  if (x instanceof Exact) return { exact: x.text }
  if (x instanceof Fields) return { record: { values: x.values.map(toValue) } }
  return { list: { values: x.map(toValue) } }
}

// checkRanges rejects the first number that is outside of its range, as the Spec declares
// it. Ranges of lists, and those that end at another input, are for calculate to check.
function checkRanges (fields, values) {
  fields.forEach((field, i) => {
    const x = values[i] instanceof Exact ? Number(values[i].text) : values[i]
    const r = field.range
    if (r === undefined || typeof x !== 'number') return
    const low = r.minimum ?? -Infinity
    const high = r.maximum ?? Infinity
    if (x < low || x > high || (x === low && r.minimum_excluded) || (x === high && r.maximum_excluded)) {
      throw new Rejection(r.code, field.name, `${field.name} is ${x}: it must lie between ${low} and ${high}`,
        `Send a ${field.name} between ${low} and ${high}.`)
    }
  })
}

// compute answers a call. There is an outcome whatever happens: the host takes a gRPC
// error for a broken engine.
function compute (engine, call) {
  try {
    const inputs = (call.inputs ?? []).map(fromValue)
    checkRanges(engine.spec.inputs, inputs)
    const answer = engine.calculate(...inputs)
    engine.spec.outputs.forEach((output, i) => {
      if (typeof answer.result[i] === 'number' && !Number.isFinite(answer.result[i])) {
        throw new Rejection('NON_FINITE_RESULT', output.name, `${output.name} is beyond binary64 for these inputs`)
      }
    })
    // The inputs as they were sent: this engine derives none.
    return { id: call.id, answer: { ...answer, result: answer.result.map(toValue), inputs: call.inputs } }
  } catch (e) {
    if (e instanceof Rejection) return { id: call.id, rejection: e.rejection }
    return { id: call.id, failure: String(e) } // ours, and logged by the host
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

// serve runs the engine until the host ends the process.
function serve (engine) {
  const { spec } = engine
  if (process.env.SLIPSTICK_ENGINE !== 'f0c2ce5d-slide-rule') {
    console.error(`This is the engine ${spec.capability_id} ${spec.calculation_version}. A Slipstick host runs it.`)
    process.exit(1)
  }
  const root = protobuf.parse(contract, { keepCase: true }).root
  const definition = loader.fromJSON(root.toJSON(), { keepCase: true, longs: String, oneofs: true })
  const description = { spec: Buffer.from(JSON.stringify(spec)), vectors: Buffer.from(JSON.stringify(engine.vectors)) }
  const server = new grpc.Server()
  server.addService(definition['slipstick.engine.v1.Engine'], {
    Describe: (call, done) => done(null, description),
    Calculate: (call, done) => done(null, compute(engine, call.request))
  })
  server.addService(health, { Check: (call, done) => done(null, serving) })
  const address = path.join(process.env.PLUGIN_UNIX_SOCKET_DIR, 'engine')
  server.bindAsync('unix:' + address, grpc.ServerCredentials.createInsecure(), err => {
    if (err) throw err
    console.log(`1|1|unix|${address}|grpc`)
  })
}

module.exports = { Exact, Fields, Rejection, serve }
