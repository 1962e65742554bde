import { boolean, type Declaration, duration, integer, type ValuesOf } from '../declare/index.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

/** `[daemon]`: how sessions are kept running. */
export const DAEMON = {
  patrolInterval: duration('patrol_interval'),
  /** Crashes within `restartWindow` after which an agent is quarantined; 0 for never. */
  maxRestarts: integer('max_restarts', { min: 0 }),
  restartWindow: duration('restart_window'),
  shutdownTimeout: duration('shutdown_timeout'),
  driftDrainTimeout: duration('drift_drain_timeout'),
  /** Time bookkeeping stays once it is closed, and how often that is looked at; 0 indefinitely. */
  wispTtl: duration('wisp_ttl'),
  wispGcInterval: duration('wisp_gc_interval'),
  probeConcurrency: integer('probe_concurrency', { min: 1 }),
  maxWakesPerTick: integer('max_wakes_per_tick', { min: 1 }),
  /** True if formulas may be graphs. */
  graphs: boolean('formula_v2'),
}
export type DaemonFields = ValuesOf<typeof DAEMON>
export type DaemonConfig = Readonly<DaemonFields>

export const resolveDaemon = (declared: Declaration<DaemonFields> | undefined): DaemonConfig => ({
  patrolInterval: 30 * SECOND,
  maxRestarts: 5,
  restartWindow: HOUR,
  shutdownTimeout: 5 * SECOND,
  driftDrainTimeout: 2 * MINUTE,
  wispTtl: 7 * DAY,
  wispGcInterval: 60 * MINUTE,
  probeConcurrency: 8,
  maxWakesPerTick: 5,
  graphs: true,
  ...declared?.values,
})
