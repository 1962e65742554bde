import {
  boolean,
  duration,
  type FieldReader,
  requiredString,
  string,
  stringMap,
  strings,
  type ValuesOf,
} from './fields.ts'

/** `[order.params.<name>]`: the arguments that an order takes, and whether each is required. */
const params: FieldReader<Record<string, { required: boolean }>> = {
  key: 'params',
  read(section) {
    if (!section.has('params')) return undefined
    const tables = section.child('params', 'order.params.*')
    const entries = tables.keys.map((name) => {
      const required = tables.child(name, 'order.params').boolean('required') ?? false
      return [name, { required }] as const
    })
    return Object.fromEntries(entries)
  },
}

/** What both an order and an override of it say; texts as they are written. */
const SHARED = {
  trigger: string('trigger'),
  /** The old name of `trigger`. */
  gate: string('gate'),
  interval: string('interval'),
  schedule: string('schedule'),
  check: string('check'),
  on: string('on'),
  pool: string('pool'),
  timeout: string('timeout'),
  checkTimeout: string('check_timeout'),
  enabled: boolean('enabled'),
  idempotent: boolean('idempotent'),
  env: stringMap('env'),
}

/** `[order]`: the table of an order file. */
export const ORDER = {
  ...SHARED,
  description: string('description'),
  formula: string('formula'),
  exec: string('exec'),
  scope: string('scope'),
  tz: string('tz'),
  noWorkGate: boolean('no_work_gate'),
  params,
  skipAliases: strings('skip_aliases'),
}
export type OrderFields = ValuesOf<typeof ORDER>

/** `[[orders.overrides]]`: other values for the orders of a name. */
export const ORDER_OVERRIDE = { ...SHARED, name: requiredString('name'), rig: string('rig') }
export type OrderOverrideFields = ValuesOf<typeof ORDER_OVERRIDE>

/** `[orders]`. */
export const ORDERS = { skip: strings('skip'), maxTimeout: duration('max_timeout') }
export type OrdersFields = ValuesOf<typeof ORDERS>
