import { join } from 'node:path'
import { Cron } from 'croner'
import { parseDuration } from '../../core/durations.ts'
import { type Declaration, locationOf, originOf } from '../declare/index.ts'
import { type Diagnostic, Diagnostics, type FileSnapshot } from '../files/index.ts'
import type { PackConfig } from '../packs/index.ts'
import type { RigConfig } from '../rigs/index.ts'
import type { WorkspaceFields } from '../settings/index.ts'
import {
  type AbsentOrder,
  type Order,
  type OrderAction,
  type Orders,
  type OrderTrigger,
  scopedNameOf,
} from './config.ts'
import type { OrderFields, OrdersFields } from './fields.ts'
import { ORDERS_FOLDER } from './files.ts'
import { findInstances, type OrderInstance } from './instances.ts'
import { isFor, type OrderOverride, withOverrides } from './overrides.ts'

/** `[orders]`, and the settings of the city that orders follow. */
interface OrderDeclarations {
  readonly orders?: Declaration<OrdersFields> | undefined
  readonly workspace?: Declaration<WorkspaceFields> | undefined
}

interface OrdersContext {
  readonly files: FileSnapshot
  readonly diagnostics: Diagnostics
  readonly packs: readonly PackConfig[]
  readonly rigs: readonly RigConfig[]
}

/** The orders of a city and its packs; one that is broken is left out. */
export function resolveOrders({ orders, workspace }: OrderDeclarations, context: OrdersContext): Orders {
  const { skip = [], maxTimeout, overrides = [] } = orders?.values ?? {}
  const defaults = { zone: workspace?.values.timezone ?? localZone(), maxTimeout }
  const { instances, dropped } = findInstances(context)
  const found = instances.map((instance) => resolveInstance(instance, { skip, overrides, defaults }))
  const all = found.flatMap(({ order }) => order ?? [])
  const absent = found.flatMap(({ absent }) => absent ?? [])
  const dropWarnings = dropped.flatMap(({ file: { declaration }, reason }) =>
    declaration ? [warning(declaration, 'scope', reason)] : [],
  )
  const files = [...instances, ...dropped.map(({ file }) => file)]
  const unmatchedOverrides = overrides.flatMap((override) => unmatchedWarning(override, files))
  const idle = overrides.flatMap((override) => disabledWarning(override, found))
  const ofFiles = [...found.flatMap(({ diagnostics }) => diagnostics), ...dropWarnings]
  const problems = unique([...ofFiles, ...unmatchedOverrides, ...idle]).map(withoutErrors)
  for (const problem of problems) context.diagnostics.add(problem)
  return { all, absent, problems: problems.filter(({ severity }) => severity !== 'lint'), unmatchedOverrides }
}

interface Settings {
  readonly skip: readonly string[]
  readonly overrides: readonly OrderOverride[]
  readonly defaults: OrderDefaults
}

interface Found {
  readonly order?: Order
  readonly absent?: AbsentOrder
  readonly diagnostics: readonly Diagnostic[]
}

function resolveInstance(instance: OrderInstance, { skip, overrides, defaults }: Settings): Found {
  const { name, rig, layer, pack, declaration, diagnostics: ofFile } = instance
  const { enabled, description = '', skipAliases = [] } = declaration?.values ?? {}
  const place = { name, ...(rig !== undefined && { rig }), file: join(layer, ORDERS_FOLDER, `${name}.toml`) }
  const isSkipped = [name, ...skipAliases].some((each) => skip.includes(each))
  if (isSkipped) return { absent: { ...place, description, reason: 'skipped' }, diagnostics: [] }
  if (!declaration) return { diagnostics: ofFile }
  const diagnostics = new Diagnostics()
  const own = resolveOrder(declaration, defaults, diagnostics)
  if (own && enabled === false) return { absent: { ...place, description, reason: 'disabled' }, diagnostics: ofFile }
  const matching = overrides.filter((override) => isFor(override, instance))
  const resolved =
    own && matching.length > 0 ? resolveOrder(withOverrides(declaration, matching), defaults, diagnostics) : own
  const order = resolved && {
    ...{ ...place, scopedName: scopedNameOf(name, rig), layer, ...(pack && { pack }), ...resolved },
  }
  return { ...(order && { order }), diagnostics: [...ofFile, ...diagnostics.list('error')] }
}

/** Says that an override is for an order that is not there. */
function unmatchedWarning(override: OrderOverride, files: readonly { name: string; rig?: string }[]): Diagnostic[] {
  const { name, rig } = override.values
  if (name === undefined || files.some((file) => isFor(override, file))) return []
  const where = rig === undefined ? 'in the city' : rig === '*' ? 'at all' : `in the rig "${rig}"`
  const message = `changes nothing: there is no order "${name}" ${where}; correct its name or rig, or delete it`
  return [warning(override, 'name', message)]
}

/** Says that an override is for an order that its own file disables. */
function disabledWarning(override: OrderOverride, found: readonly Found[]): Diagnostic[] {
  const disabled = found.find(({ absent }) => absent?.reason === 'disabled' && isFor(override, absent))?.absent
  if (!disabled) return []
  return [
    warning(override, 'name', `changes nothing: ${disabled.file} says enabled = false; an override does not undo that`),
  ]
}

const warning = <Values>(
  declaration: Declaration<Values>,
  field: keyof Values & string,
  message: string,
): Diagnostic => ({
  ...{ severity: 'warning', ...locationOf(declaration, field), message },
})

/** Errors of an order do not keep other declarations from being applied. */
const withoutErrors = (diagnostic: Diagnostic): Diagnostic =>
  diagnostic.severity === 'error' ? { ...diagnostic, severity: 'broken' } : diagnostic

/** A problem of a file that several rigs use is reported once. */
const unique = (diagnostics: readonly Diagnostic[]): Diagnostic[] => [
  ...new Map(diagnostics.map((each) => [JSON.stringify(each), each])).values(),
]

const localZone = (): string => new Intl.DateTimeFormat().resolvedOptions().timeZone

/** Fields of an order that do not depend on its place. */
type ResolvedOrder = Pick<
  Order,
  'description' | 'action' | 'trigger' | 'timeout' | 'params' | 'idempotent' | 'noWorkGate' | 'enabled' | 'declared'
>

interface OrderDefaults {
  /** The zone of orders that name none. */
  readonly zone: string
  /** The longest that a run may take, in milliseconds. */
  readonly maxTimeout: number | undefined
}

const SECOND = 1000
const TIMEOUTS = { exec: 300 * SECOND, formula: 30 * SECOND }
const CHECK_TIMEOUT = 10 * SECOND

/**
 * Fills in defaults and judges what an order declares; undefined when something is wrong, as listed in `diagnostics`.
 */
function resolveOrder(
  declaration: Declaration<OrderFields>,
  defaults: OrderDefaults,
  diagnostics: Diagnostics,
): ResolvedOrder | undefined {
  const judge = new Judge(declaration, diagnostics)
  const action = actionOf(judge)
  const trigger = triggerOf(judge, defaults.zone)
  const timeout = judge.duration('timeout') ?? (action && TIMEOUTS[action.kind])
  judge.duration('interval')
  judge.duration('checkTimeout')
  if (!action || !trigger || timeout === undefined || diagnostics.list('error').length > 0) return undefined
  const { values } = declaration
  return {
    ...{ description: values.description ?? '', action, trigger },
    timeout: Math.min(timeout, defaults.maxTimeout ?? timeout),
    params: values.params ?? {},
    idempotent: values.idempotent ?? false,
    noWorkGate: values.noWorkGate ?? false,
    enabled: values.enabled ?? true,
    declared: values,
  }
}

function actionOf(judge: Judge): OrderAction | undefined {
  const { exec, formula, pool, env = {} } = judge.values
  if ((exec === undefined) === (formula === undefined)) {
    const both = exec !== undefined
    judge.error(both ? 'formula' : 'exec', both ? 'stands beside exec: leave one of the two' : 'or formula is required')
    return undefined
  }
  if (formula !== undefined) {
    if (judge.values.env) judge.error('env', 'is for exec orders: give a formula its variables as params')
    return { kind: 'formula', formula, ...(pool !== undefined && { pool }) }
  }
  if (pool !== undefined) judge.error('pool', 'is for formula orders: an exec order runs without it')
  for (const name of Object.keys(env)) {
    if (name === '' || name.includes('=')) judge.error('env', `"${name}" is not a name of a variable`)
    else if (isReservedVariable(name)) judge.error('env', `"${name}" is set by gc; choose another name`)
  }
  return { kind: 'exec', command: exec ?? '', env }
}

function triggerOf(judge: Judge, zone: string): OrderTrigger | undefined {
  const { trigger: kind, tz, schedule, check, on, params = {} } = judge.values
  switch (kind) {
    case 'cooldown': {
      if (judge.values.interval === undefined) return judge.required('interval')
      const interval = judge.duration('interval')
      return interval === undefined ? undefined : { kind, interval }
    }
    case 'cron': {
      if (schedule === undefined) return judge.required('schedule')
      const problem = cronProblem(schedule)
      if (problem !== undefined) judge.error('schedule', `"${schedule}" is not a cron schedule: ${problem}`)
      return { kind, schedule, zone: tz ?? zone }
    }
    case 'condition': {
      if (check === undefined) return judge.required('check')
      return { kind, check, timeout: judge.duration('checkTimeout') ?? CHECK_TIMEOUT }
    }
    case 'event':
      return on === undefined ? judge.required('on') : { kind, on }
    case 'webhook':
      if (Object.keys(params).length === 0) {
        judge.error('params', 'is required with trigger = "webhook": a table [order.params.<name>] for each argument')
      }
      return { kind }
    case 'manual':
      return { kind }
    default:
      return judge.required('trigger')
  }
}

/** Judges the values of one order, and says where what is wrong was written. */
class Judge {
  /** The fields that something is wrong with: each is complained of once. */
  readonly #errors = new Set<string>()

  constructor(
    private readonly declaration: Declaration<OrderFields>,
    private readonly diagnostics: Diagnostics,
  ) {}

  get values(): Partial<OrderFields> {
    return this.declaration.values
  }

  error(field: keyof OrderFields, message: string): void {
    if (this.#errors.has(field)) return
    this.#errors.add(field)
    this.diagnostics.error(originOf(this.declaration, field), message)
  }

  /** Complains of a missing field. */
  required(field: keyof OrderFields): undefined {
    const { trigger } = this.values
    this.error(
      field,
      trigger === undefined || field === 'trigger' ? 'is required' : `is required with trigger = "${trigger}"`,
    )
    return undefined
  }

  /** A duration over 0 in milliseconds; undefined when it is missing or wrong. */
  duration(field: 'interval' | 'timeout' | 'checkTimeout'): number | undefined {
    const text = this.values[field]
    if (text === undefined) return undefined
    const milliseconds = parseDuration(text)
    if (milliseconds !== undefined && milliseconds > 0) return milliseconds
    const problem = milliseconds === undefined ? 'is not a duration such as 90s, 5m or 1h30m' : 'must be longer than 0'
    this.error(field, `"${text}" ${problem}`)
    return undefined
  }
}

/** The variables of an order's process that gc sets itself. */
const RESERVED = new Set(
  `ORDER_DIR PACK_DIR GT_ROOT GC_HOME GC_URL GC_BIN GC_TOKEN GC_CITY GC_CITY_PATH GC_CITY_NAME GC_CITY_RUNTIME_DIR
   GC_PACK_DIR GC_PACK_NAME GC_PACK_STATE_DIR GC_STORE_ROOT GC_STORE_SCOPE GC_STORE_PATH GC_BEADS_PREFIX GC_RIG
   GC_RIG_ROOT GC_SESSION_ID GC_AGENT GC_ALIAS GC_TEMPLATE GC_PROCESS_ID`.split(/\s+/),
)
const RESERVED_PREFIXES = /^(BEADS_|BD_|GC_WEBHOOK_ARG_)/

/** True if an order may not set a variable. */
const isReservedVariable = (name: string): boolean => RESERVED.has(name) || RESERVED_PREFIXES.test(name)

const MAX_KNOWN = 4096
const good = new Set<string>()

/** Problem with a schedule; undefined if it is valid. */
function cronProblem(schedule: string): string | undefined {
  if (good.has(schedule)) return undefined
  const problem = findProblem(schedule)
  if (problem !== undefined) return problem
  if (good.size >= MAX_KNOWN) good.clear()
  good.add(schedule)
  return undefined
}

function findProblem(schedule: string): string | undefined {
  const fields = schedule.trim().split(/\s+/).length
  if (fields !== 5 && !schedule.startsWith('@')) return `it must have 5 fields, not ${fields}`
  try {
    new Cron(schedule, { paused: true, mode: '5-part', domAndDow: true })
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) throw error
    return error.message.replace(/^CronPattern: (Syntax error, )?/, '')
  }
}
