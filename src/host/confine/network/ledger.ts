import { type Clock, toTimestamp } from '../../../core/clock.ts'
import type { HostTraffic } from '../../protocol/index.ts'

const MAX_HOSTS = 200
/** Stands for all hosts that found no room. */
const OTHERS = '*'

/** Traffic of one session by host. */
export class Ledger {
  readonly #rows = new Map<string, HostTraffic>()

  constructor(private readonly clock: Clock) {}

  get rows(): HostTraffic[] {
    return [...this.#rows.values()].map((row) => ({ ...row }))
  }

  connected(host: string): void {
    this.#row(host).connections++
  }

  denied(host: string): void {
    this.#row(host).denied++
  }

  moved(host: string, sent: number, received: number): void {
    if (sent + received === 0) return
    const row = this.#row(host)
    row.sent += sent
    row.received += received
  }

  #row(host: string): HostTraffic {
    const now = toTimestamp(this.clock.now())
    const name = this.#rows.has(host) || this.#rows.size < MAX_HOSTS ? host : OTHERS
    const row = this.#rows.get(name) ?? {
      ...{ host: name, connections: 0, denied: 0, sent: 0, received: 0, first: now, last: now },
    }
    row.last = now
    this.#rows.set(name, row)
    return row
  }
}

/** A host as it is listed. */
export function listedHost(host: string, port: number): string {
  const name = host.includes(':') ? `[${host}]` : host
  return port === 443 || port === 80 ? name : `${name}:${port}`
}
