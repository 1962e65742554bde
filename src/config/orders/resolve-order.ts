import { parseDuration } from '../../core/durations.ts'
import { type Declaration, originOf } from '../declare/declaration.ts'
import type { OrderFields } from '../declare/order.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import { cronProblem } from './cron.ts'
import type { Order, OrderAction, OrderTrigger } from './order.ts'
import { isReservedVariable } from './reserved-variables.ts'

/** What an order has that its place does not decide. */
export type ResolvedOrder = Pick<
  Order,
  'description' | 'action' | 'trigger' | 'timeout' | 'params' | 'idempotent' | 'noWorkGate' | 'enabled' | 'declared'
>

export interface OrderDefaults {
  /** The zone of orders that name none. */
  readonly zone: string
  /** The longest that a run may take, in milliseconds. */
  readonly maxTimeout: number | undefined
}

const SECOND = 1000
const TIMEOUTS = { exec: 300 * SECOND, formula: 30 * SECOND }
const CHECK_TIMEOUT = 10 * SECOND

/** Fills in defaults and judges what an order declares; undefined when something is wrong, which `diagnostics` tells. */
export function resolveOrder(
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
  if (pool !== undefined) judge.error('pool', 'is for formula orders: an exec order runs by itself')
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
