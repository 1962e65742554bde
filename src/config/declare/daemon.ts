import { boolean, duration, integer, type ValuesOf } from './fields.ts'

/** `[daemon]`: how sessions are kept running. */
export const DAEMON = {
  patrolInterval: duration('patrol_interval'),
  maxRestarts: integer('max_restarts', { min: 0 }),
  restartWindow: duration('restart_window'),
  shutdownTimeout: duration('shutdown_timeout'),
  driftDrainTimeout: duration('drift_drain_timeout'),
  wispTtl: duration('wisp_ttl'),
  wispGcInterval: duration('wisp_gc_interval'),
  probeConcurrency: integer('probe_concurrency', { min: 1 }),
  maxWakesPerTick: integer('max_wakes_per_tick', { min: 1 }),
  graphs: boolean('formula_v2'),
}
export type DaemonFields = ValuesOf<typeof DAEMON>
