/** A decimal literal that has not been rounded. */
export class Exact {
  constructor (text: string)
  readonly text: string
}

/** The values of an object, in the order of its fields. */
export class Fields {
  constructor (values: Value[])
  readonly values: Value[]
}

/** What a field holds: undefined if it is absent. */
export type Value = undefined | number | string | boolean | Exact | Fields | Value[]

/** The caller's fault: a declared code, the input at fault, what is wrong, what to do. */
export class Rejection extends Error {
  constructor (code: string, field: string, detail: string, suggestion?: string, invalid?: Array<{ name: string, constraint: string }>)
}

/** Informs the caller about a result. A warning never changes a number. */
export interface Warning {
  code: string
  severity: 'info' | 'warning' | 'critical'
  detail: string
  suggestion?: string
}

/** A result: one value for each output of the Spec, in order. */
export interface Answer {
  result: Value[]
  /** Id of one of the Spec's formulas; the first without it. */
  formula?: string
  /** Beside those of the Spec. */
  assumptions?: string[]
  warnings?: Warning[]
  /** Inputs that were not sent and follow from the others, by name. */
  derived?: Record<string, Value>
}

export interface Range {
  minimum?: number
  maximum?: number
  minimum_input?: string
  maximum_input?: string
  minimum_excluded?: boolean
  maximum_excluded?: boolean
  code: string
}

/** One input or output. docs/contract.md of Slipstick describes all members. */
export interface Field {
  name?: string
  type: 'number' | 'integer' | 'string' | 'boolean' | 'array' | 'object'
  range?: Range
  items?: Field
  fields?: Field[]
  required?: boolean
  [member: string]: unknown
}

/** What all schemas, pages and checks are made from. docs/contract.md of Slipstick describes all members. */
export interface Spec {
  spec_version: string
  capability_id: string
  calculation_version: string
  tool: string
  group: string
  title: string
  summary: string
  inputs: Field[]
  outputs: Field[]
  errors?: string[]
  warnings?: string[]
  [member: string]: unknown
}

/** A calculation. Both functions have a parameter for each input of the Spec, in order; draw has the id of the plot before them. */
export class Engine {
  constructor (spec: Spec, calculate: (...inputs: any[]) => Answer, draw?: (plot: string, ...inputs: any[]) => object)
  readonly spec: Spec
  /** Answers a host until it ends the process. */
  serve (vectors: unknown): void
}
