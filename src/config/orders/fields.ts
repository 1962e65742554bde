import {
  boolean,
  type Declaration,
  declareFields,
  duration,
  type FieldReader,
  oneOf,
  requiredString,
  string,
  stringMap,
  strings,
  timeZone,
  type ValuesOf,
} from '../declare/index.ts'

const TRIGGERS = ['cooldown', 'cron', 'condition', 'event', 'manual', 'webhook'] as const

/** `gate` is the old name of `trigger`. */
const trigger: FieldReader<(typeof TRIGGERS)[number]> = {
  key: 'trigger',
  read(section) {
    const gate = oneOf('gate', TRIGGERS).read(section)
    return section.has('trigger') ? oneOf('trigger', TRIGGERS).read(section) : gate
  },
}

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

/** Keys of both an order and its override; texts as written. */
const SHARED = {
  trigger,
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
  scope: oneOf('scope', ['city', 'rig']),
  tz: timeZone('tz'),
  noWorkGate: boolean('no_work_gate'),
  params,
  skipAliases: strings('skip_aliases'),
}
export type OrderFields = ValuesOf<typeof ORDER>

/** `[[orders.overrides]]`: other values for the orders of a name. */
export const ORDER_OVERRIDE = { ...SHARED, name: requiredString('name'), rig: string('rig') }
export type OrderOverrideFields = ValuesOf<typeof ORDER_OVERRIDE>

const overrides: FieldReader<readonly Declaration<OrderOverrideFields>[]> = {
  key: 'overrides',
  read: (section) => section.blocks('overrides').map((block) => declareFields(block, ORDER_OVERRIDE)),
}

/** `[orders]`: the orders that are left out, the longest time that one may take, and other values for single ones. */
export const ORDERS = { skip: strings('skip'), maxTimeout: duration('max_timeout'), overrides }
export type OrdersFields = ValuesOf<typeof ORDERS>
