import { eq } from 'drizzle-orm'
import { gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import { command } from '../../../core/store/index.ts'
import type { SessionHost } from '../../../host/client/index.ts'
import type { HostTraffic } from '../../../host/protocol/index.ts'
import { isRunning, type SessionResolver } from '../../../work/sessions/index.ts'
import type { SessionHostTraffic, SessionTrafficList } from './schema.ts'
import { sessionTraffic } from './table.ts'

const MAX_HOSTS = 200
const OTHERS = '*'

const ADD = command<
  (string | number)[]
>(`INSERT INTO session_traffic (session, host, run, connections, denied, sent, received, first_at, last_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
       ON CONFLICT (session, host) DO UPDATE SET run = excluded.run, connections = connections + excluded.connections,
         denied = denied + excluded.denied, sent = sent + excluded.sent, received = received + excluded.received,
         first_at = min(first_at, excluded.first_at), last_at = max(last_at, excluded.last_at)
       WHERE run <> excluded.run`)

/** Hosts that each session reached through its proxy, with the bytes exchanged. */
export class Traffic {
  constructor(
    private readonly context: CityContext,
    private readonly host: Pick<SessionHost, 'traffic'>,
    private readonly resolver: Pick<SessionResolver, 'resolve'>,
  ) {}

  /** Keeps what a run of a session exchanged that is over. */
  async keep(session: string, run: string, hosts: readonly HostTraffic[]): Promise<void> {
    const known = new Set(this.#stored(session).map(({ host }) => host))
    const rows = hosts.map((each) => {
      if (known.has(each.host) || known.size < MAX_HOSTS) known.add(each.host)
      return known.has(each.host) ? each : { ...each, host: OTHERS }
    })
    await this.context.store.write((tx) => {
      for (const row of joined(rows)) {
        const { host, connections, denied, sent, received, first, last } = row
        const counts = [connections, denied, sent, received, Date.parse(first), Date.parse(last)]
        tx.run(ADD, session, host, run, ...counts)
      }
    }, gcPart('sessions'))
  }

  /** The hosts of a session, the run under way included; the last first. */
  async list(token: string): Promise<SessionTrafficList> {
    const row = this.resolver.resolve(token, { past: true })
    const live = isRunning(row) ? await this.#live(row.hostKey) : []
    const items = joined([...this.#stored(row.id), ...live])
      .toSorted((a, b) => b.last.localeCompare(a.last) || a.host.localeCompare(b.host))
      .map(toView)
    return { items, total: items.length }
  }

  async #live(key: string): Promise<HostTraffic[]> {
    try {
      return await this.host.traffic(key)
    } catch (error) {
      // A host of an earlier build has no proxies, and one whose session is over has told everything.
      if (error instanceof AppError && ['not-implemented', 'session-not-found'].includes(error.code)) return []
      throw error
    }
  }

  #stored(session: string): HostTraffic[] {
    const rows = this.context.store.read((orm) =>
      orm.select().from(sessionTraffic).where(eq(sessionTraffic.session, session)).all(),
    )
    return rows.map(({ host, connections, denied, sent, received, firstAt, lastAt }) => {
      return { host, connections, denied, sent, received, first: toTimestamp(firstAt), last: toTimestamp(lastAt) }
    })
  }
}

/** One row a host. */
function joined(rows: readonly HostTraffic[]): HostTraffic[] {
  return [...Map.groupBy(rows, ({ host }) => host).values()].map((same) =>
    same.reduce((one, other) => ({
      host: one.host,
      connections: one.connections + other.connections,
      denied: one.denied + other.denied,
      sent: one.sent + other.sent,
      received: one.received + other.received,
      first: one.first < other.first ? one.first : other.first,
      last: one.last > other.last ? one.last : other.last,
    })),
  )
}

const toView = ({ host, connections, denied, sent, received, first, last }: HostTraffic): SessionHostTraffic => ({
  ...{ host, connections, denied, sent_bytes: sent, received_bytes: received, first_at: first, last_at: last },
})
