import type { SessionHost } from '../../../host/client/index.ts'
import type { SessionResolver } from '../../../work/sessions/index.ts'
import type { SessionShareList } from './schema.ts'

/** Resource limits of sessions, and their enforcement. */
export class Shares {
  constructor(
    private readonly host: Pick<SessionHost, 'list' | 'status'>,
    private readonly resolver: Pick<SessionResolver, 'resolve'>,
  ) {}

  async list(token: string): Promise<SessionShareList> {
    const { host, resolver } = this
    const row = resolver.resolve(token, { past: true })
    const hosted = await host.list()
    const running = hosted.find(({ key, state }) => key === row.hostKey && state === 'running')
    const items = (running?.share ?? []).map(({ by, ...share }) => ({ ...share, held_by: by }))
    const isHeld = items.every(({ held_by }) => held_by === 'cgroup')
    const hosts = isHeld ? [] : await host.status()
    const reason = hosts.find(({ retired }) => !retired)?.noShare
    return { session_id: row.id, items, total: items.length, ...(reason && { reason }) }
  }
}
