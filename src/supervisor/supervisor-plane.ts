import type { City } from '../city/city.ts'
import type { Clock } from '../core/clock.ts'
import type { Deadlines } from '../core/deadlines.ts'
import type { Replays } from '../core/replays/index.ts'
import type { GuardSettings } from '../http/guard.ts'
import { createPlane, type Plane } from '../http/plane.ts'
import type { PlaneOptions } from '../http/plane-options.ts'
import type { RequestMetrics } from '../http/request-metrics.ts'
import type { ResponseWriter } from '../http/respond/index.ts'
import { manualPages } from '../manual/index.ts'
import { accessPolicy, secretFilter } from './access.ts'
import type { Callers } from './callers.ts'
import { stackOf } from './stack.ts'
import type { Supervisor } from './supervisor.ts'
import type { TokenRequirement } from './token-requirement.ts'

/** Options of the supervisor's start that concern callers. */
interface CallerOptions {
  readonly allowHosts: readonly string[]
  readonly allowOrigins: readonly string[]
  readonly readOnly: boolean
}

export interface SupervisorPlaneOptions {
  gc: Supervisor
  guard: GuardSettings
  /** Answers to requests that are of no city. */
  replays: Replays
  clock: Clock
  deadlines: Deadlines
  writer: ResponseWriter
  metrics: RequestMetrics
  report(message: string): void
}

/** Guard settings of the supervisor, for its operations and the services of its cities. */
export const guardSettings = (
  options: CallerOptions,
  tokens: Pick<TokenRequirement, 'isRequired'>,
  callers: Callers,
): GuardSettings => ({
  hosts: options.allowHosts,
  origins: options.allowOrigins,
  readOnly: options.readOnly,
  get requireToken() {
    return tokens.isRequired
  },
  resolve: (token) => callers.resolve(token),
  settle: (token) => callers.settle(token),
})

/** Some of the supervisor's operations, behind their guard. */
export function createSupervisorPlane(
  { gc, replays: own, report, ...shared }: SupervisorPlaneOptions,
  operations: Pick<PlaneOptions, 'routes' | 'shapes'>,
): Plane {
  const running = { find: (city: string) => gc.cities.findRunning(city), all: () => gc.cities.listRunning() }
  return createPlane({
    ...shared,
    ...operations,
    info: {
      title: 'gc supervisor',
      version: '0.1.0',
      description: 'Cities of coding agents: their work, sessions, mail and live events.',
    },
    pages: manualPages(),
    reservedCodes: RESERVED_CODES,
    filterFor: (caller) => secretFilter(caller, running),
    access: accessPolicy(running.find),
    onChange: ({ id, actor, summary, method, path }) => report(`${id} ${method} ${path}: ${summary}, by ${actor}`),
    report: (error, { id, method, path }) => report(`${id} ${method} ${path}: ${stackOf(error)}`),
    beginRead: ({ cityName }) => cityName !== undefined && gc.cities.findRunning(cityName)?.store.beginRead(),
    index: ({ cityName }) => (cityName === undefined ? undefined : gc.cities.findRunning(cityName)?.log.head),
    replays: ({ cityName }, { spec }) =>
      cityName === undefined || spec.registry ? own : gc.cities.findRunning(cityName)?.replays,
    waitForEvent: ({ cityName = '' }, index, ms, signal) =>
      waitForNews(gc.cities.requireRunning(cityName), shared.clock, index, ms, signal),
  })
}

/** Waits for an event, or until deferred work becomes ready, which records none. */
async function waitForNews({ log, workload }: City, clock: Clock, index: number, ms: number, signal: AbortSignal) {
  const ready = workload.nextDeferred() ?? Number.POSITIVE_INFINITY
  await log.waitForEventAfter(index, Math.min(ms, Math.max(0, ready - clock.now())), signal)
}

/** Error codes of the contract that no operation of this version answers with. */
const RESERVED_CODES = [
  'ambiguous-reference',
  'bad-gateway',
  'conflict-concurrent-delete',
  'conflict-concurrent-modify',
  'gateway-timeout',
  'method-not-allowed',
  'order-not-found',
  'pack-credential-required',
  'pack-not-found',
  'run-not-found',
  'sling-cross-store-route',
  'sling-source-workflow-conflict',
  'webhook-rejected',
  'workflow-not-found',
] as const
