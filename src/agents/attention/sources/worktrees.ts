import type { AttentionEntry, AttentionSource } from '../../../core/attention.ts'
import type { EventLog } from '../../../core/events/index.ts'
import type { SessionRepository } from '../../../work/sessions/index.ts'
import type { Worktrees } from '../../worktrees/index.ts'

interface WorktreeAttentionOptions {
  worktrees: Pick<Worktrees, 'list'>
  sessionRepository: Pick<SessionRepository, 'find'>
  log: Pick<EventLog, 'subscribe'>
}

/** Worktrees of ended sessions with work that exists nowhere else. */
export class WorktreeAttention implements AttentionSource {
  readonly name = 'worktrees'

  constructor(private readonly options: WorktreeAttentionOptions) {}

  items(): AttentionEntry[] {
    const { worktrees, sessionRepository } = this.options
    return worktrees.list().items.flatMap(({ session, rig, path, kept, bead_id }) => {
      if (kept === undefined) return []
      const owner = sessionRepository.find(session)
      return {
        ...{ id: `worktree:${session}`, kind: 'worktree', rig, session_id: session },
        ...(owner && { agent: owner.template, session_name: owner.alias ?? owner.sessionName }),
        ...(bead_id !== undefined && { bead_id }),
        asks: `Session ${session} ended, and its worktree ${path} is kept: ${kept}.`,
        to_do: `gc worktree diff ${session}; save its work, then gc worktree remove ${session} --force`,
      }
    })
  }

  onChange(listener: () => void): () => void {
    return this.options.log.subscribe(({ type }) => {
      if (type.startsWith('bead.worktree.')) listener()
    })
  }
}
