import { LoginLimits } from '../agents/limits/login-limits.ts'
import { NetworkAccounts } from '../agents/network/network-accounts.ts'
import { SessionRepository } from '../agents/sessions/repository.ts'
import { Accounts } from '../config/accounts/accounts.ts'
import type { Config } from '../config/config.ts'
import { GitRunner } from '../config/git/git-runner.ts'
import { openPackFolders } from '../config/packs/builtin-folders.ts'
import { Suspensions } from '../config/suspensions/suspensions.ts'
import { errorMessage } from '../core/errors.ts'
import { EventLog } from '../core/events/log.ts'
import { Reactions } from '../core/events/reactions.ts'
import { EventRetention } from '../core/events/retention.ts'
import { EventArchives } from '../core/events/rotation.ts'
import { Replays } from '../core/replays/replays.ts'
import type { Store } from '../core/store.ts'
import { FormulaLibrary } from '../orchestration/formulas/formula-library.ts'
import { OrderApproval } from '../orchestration/orders/dispatch/approval.ts'
import { OrderLibrary } from '../orchestration/orders/order-library.ts'
import { RunMembers } from '../orchestration/runs/members.ts'
import { RunRepository } from '../orchestration/runs/repository.ts'
import { BeadReader } from '../work/beads/reader.ts'
import { BeadRepository } from '../work/beads/repository.ts'
import { ClaimManager } from '../work/claims/manager.ts'
import { Counters } from './counters/counters.ts'
import type { CityDependencies } from './dependencies.ts'
import type { StoreHealth } from './status/store-health.ts'

/** What the services of a city are built on. */
export interface Foundation extends CityDependencies {
  config: Config
  store: Store
  storeHealth: StoreHealth
}

/** The event log, and what more than one wing works with. */
export function buildRecords(foundation: Foundation) {
  const { name, home, store, config, clock, deadlines, env, report } = foundation
  const reportError = (error: unknown) => report(`${name}: ${errorMessage(error)}`)
  const log = new EventLog(store, clock, deadlines)
  const beadReader = new BeadReader(store)
  const orderLibrary = new OrderLibrary(config)
  const beadRepository = new BeadRepository({ store, log, clock, scope: config, reader: beadReader })
  return {
    reportError,
    log,
    reactions: new Reactions(store, log, deadlines, report),
    retention: new EventRetention(store, log, clock, deadlines, reportError),
    archives: new EventArchives(store, log, clock, () => config.current.events, reportError),
    /** Answers to requests that may be repeated. */
    replays: new Replays(store, clock),
    suspensions: new Suspensions(store, log),
    git: new GitRunner({ deadlines, env, confine: foundation.confineTool }),
    packFolders: openPackFolders(home),
    beadReader,
    beadRepository,
    counters: new Counters({ store, beadRepository, reportError }),
    runRepository: new RunRepository({ store, log, clock }),
    runMembers: new RunMembers(store, beadRepository),
    formulaLibrary: new FormulaLibrary(config, deadlines),
    orderLibrary,
    orderApproval: new OrderApproval(store, orderLibrary),
    claimManager: new ClaimManager({ store, log, clock, beads: beadRepository }),
    sessionRepository: new SessionRepository(store, beadRepository, clock),
    accounts: new Accounts(home, env.HOME ?? '/'),
    limits: new LoginLimits({ store, log, clock }),
    networkAccounts: new NetworkAccounts({ ...foundation, log }),
  }
}

export type Records = ReturnType<typeof buildRecords>
