import type { CityConfig } from '../../config/city-config.ts'
import type { SessionRow } from '../sessions/table.ts'
import { LIVE } from './fingerprint.ts'

/** What changed since sessions were started, worked out once for each run and reading of the files. */
export class DriftCache {
  #config: CityConfig | undefined
  readonly #known = new Map<string, readonly string[]>()

  driftOf(row: SessionRow, config: CityConfig, launcher: { drift(row: SessionRow): string[] }): readonly string[] {
    if (this.#config !== config) this.#known.clear()
    this.#config = config
    const key = `${row.hostKey} ${row.fingerprint[LIVE]}`
    const known = this.#known.get(key)
    if (known) return known
    const drift = launcher.drift(row)
    this.#known.set(key, drift)
    return drift
  }
}
