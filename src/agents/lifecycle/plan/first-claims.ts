import { command, type Store, type Tx } from '../../../core/store/index.ts'
import type { Bead, BeadGuard, BeadRepository } from '../../../work/beads/index.ts'
import type { SessionRepository } from '../../../work/sessions/index.ts'
import type { FailureCounts } from './failure-counts.ts'

interface FirstClaimsOptions {
  store: Store
  beads: BeadRepository
  failures: Pick<FailureCounts, 'clear'>
  sessions: Pick<SessionRepository, 'find' | 'touch'>
}

const RECORD = command<[string], { template: string }>(
  'UPDATE sessions SET worked = 1 WHERE id = ? AND worked = 0 RETURNING template',
)

/** Records the first claim of each run of a session: its start succeeded, so the failed starts of its agent are over. */
export class FirstClaims implements BeadGuard {
  constructor(private readonly options: FirstClaimsOptions) {
    options.beads.addGuard(this)
  }

  checkWrite(): void {}

  onChanged(tx: Tx, before: Bead, { status }: Bead, session: string | undefined): void {
    if (session === undefined || status !== 'in_progress' || before.status === status) return
    const { sessions } = this.options
    if (sessions.find(session)?.worked) return
    const first = tx.get(RECORD, session)
    if (!first) return
    sessions.touch(session)
    this.options.failures.clear(tx, 'agent', first.template)
  }
}
