import type { AttentionEntry, AttentionSource } from '../../../core/attention.ts'
import { toTimestamp } from '../../../core/clock.ts'
import type { ProcessSummary } from '../../../host/process/index.ts'
import type { SessionRepository } from '../../../work/sessions/index.ts'
import type { DetachedProcesses } from '../../lifecycle/index.ts'

/** Maximum processes that a sentence names. */
const NAMED = 5

/** Processes that outlived the session that started them. */
export class DetachedAttention implements AttentionSource {
  readonly name = 'detached'

  constructor(
    private readonly detached: Pick<DetachedProcesses, 'remembered' | 'onChange'>,
    private readonly repository: Pick<SessionRepository, 'find'>,
  ) {}

  items(): AttentionEntry[] {
    return [...this.detached.remembered()].map(([session, { since, processes }]) => {
      const row = this.repository.find(session)
      return {
        id: `detached:${session}`,
        kind: 'detached',
        agent: row?.template ?? '',
        session_id: session,
        ...(row && { session_name: row.alias ?? row.sessionName }),
        since: toTimestamp(since),
        asks: describe(processes),
        to_do: `gc session sweep ${session}`,
      }
    })
  }

  onChange(listener: () => void): () => void {
    return this.detached.onChange(listener)
  }
}

function describe(processes: readonly ProcessSummary[]): string {
  const named = processes.slice(0, NAMED).map(({ pid, command }) => `${pid} (${command})`)
  const more = processes.length > NAMED ? ` and ${processes.length - NAMED} more` : ''
  return `Its session ended, and ${named.join(', ')}${more} still ${processes.length === 1 ? 'runs' : 'run'}.`
}
