import type { CityConfig } from '../../config/city-config.ts'
import type { SessionRow } from '../sessions/table.ts'

/** What changed since sessions were started, computed once for each run and configuration. */
export class DriftCache {
  #config: CityConfig | undefined
  readonly #drifts = new Map<string, readonly string[]>()

  driftOf(row: SessionRow, config: CityConfig, launcher: { drift(row: SessionRow): string[] }): readonly string[] {
    if (this.#config !== config) this.#drifts.clear()
    this.#config = config
    const key = [row.hostKey, ...Object.values(row.fingerprint)].join(' ')
    const cached = this.#drifts.get(key)
    if (cached) return cached
    const drift = launcher.drift(row)
    this.#drifts.set(key, drift)
    return drift
  }
}
