import type { AttentionEntry, AttentionSource } from '../../../core/attention.ts'
import type { CityContext } from '../../../core/city-context.ts'
import type { SessionRepository } from '../../../work/sessions/index.ts'
import type { Worktree, Worktrees } from '../../worktrees/index.ts'

/** Worktrees of ended sessions with work that exists nowhere else. */
export class WorktreeAttention implements AttentionSource {
  readonly name = 'worktrees'

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      worktrees: Pick<Worktrees, 'list'>
      sessionRepository: Pick<SessionRepository, 'find'>
      /** Whether the review or the landing of its branch decides about a worktree, or did so just now. */
      isDecidedElsewhere(worktree: Worktree, kept: string): boolean
    },
  ) {}

  items(): AttentionEntry[] {
    const { worktrees, sessionRepository, isDecidedElsewhere } = this.peers
    return worktrees.list().items.flatMap((worktree) => {
      const { session, rig, path, kept, bead_id } = worktree
      if (kept === undefined || isDecidedElsewhere(worktree, kept)) return []
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
    return this.context.log.subscribe(({ type }) => {
      if (/^(?:bead\.worktree|land|change)\./.test(type)) listener()
    })
  }
}
