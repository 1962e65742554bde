import type { Clock } from '../../src/core/clock.ts'
import type { Deadlines } from '../../src/core/deadlines.ts'
import type { EventLog } from '../../src/core/events/log.ts'
import { Reactions } from '../../src/core/events/reactions.ts'
import type { Store } from '../../src/core/store.ts'
import { Beads } from '../../src/work/beads/beads.ts'
import type { AssigneeResolver, CityScope } from '../../src/work/beads/extensions.ts'
import { BeadReader } from '../../src/work/beads/reader.ts'
import { BeadRepository } from '../../src/work/beads/repository.ts'
import { Claims } from '../../src/work/claims/claims.ts'
import { ClaimManager } from '../../src/work/claims/manager.ts'
import type { Workers } from '../../src/work/claims/worker.ts'
import { Convoys } from '../../src/work/convoys/convoys.ts'

interface WorkOptions {
  store: Store
  log: EventLog
  clock: Clock
  deadlines: Deadlines
  scope: CityScope
  workers: Workers
  reactions?: Reactions
  assignees?: AssigneeResolver
  report?(error: unknown): void
}

/** Stores every assignee as it is written. */
const ANY_ASSIGNEE: AssigneeResolver = { resolve: (_tx, token) => token, names: (token) => [token] }

/** The services of work, built as a city builds them. */
export function buildWork({ store, log, clock, deadlines, scope, workers, ...options }: WorkOptions) {
  const { report = () => {}, assignees = ANY_ASSIGNEE } = options
  const reactions = options.reactions ?? new Reactions(store, log, deadlines, report)
  const city = scope.current.name
  const reader = new BeadReader(store)
  const repository = new BeadRepository({ store, log, clock, scope, reader })
  const claimManager = new ClaimManager({ store, log, clock, beads: repository })
  const beads = new Beads({ city, store, clock, reader, repository, assignees })
  const claims = new Claims({
    ...{ city, store, clock, deadlines, workers, report },
    beads: repository,
    manager: claimManager,
  })
  const convoys = new Convoys({ store, log, beads: repository, lists: beads, reactions })
  return { repository, beads, claimManager, claims, convoys }
}
