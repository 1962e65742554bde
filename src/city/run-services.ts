import type { CommandConfinement } from '../agents/confinement/index.ts'
import { HostedCommands, plainEnvironment } from '../agents/launch/index.ts'
import type { Config } from '../config/compose/index.ts'
import type { Suspensions } from '../config/suspensions/index.ts'
import type { EventLog, Reactions } from '../core/events/index.ts'
import type { Store } from '../core/store/index.ts'
import type { ProcessTokens } from '../http/process-tokens.ts'
import { CheckRepository, CheckRunner } from '../orchestration/checks/index.ts'
import { DrainUnits } from '../orchestration/drain/index.ts'
import { RunEngine } from '../orchestration/engine/index.ts'
import { findStepTarget } from '../orchestration/formulas/index.ts'
import type { Instantiator } from '../orchestration/instantiate/index.ts'
import {
  type AgentAvailability,
  FormulaRuns,
  RunControls,
  RunHolds,
  type RunMembers,
  type RunRepository,
  RunRestarts,
  Runs,
  RunTimelines,
  RunWaits,
  SessionAffinity,
  type UsageOfSessions,
  Workflows,
} from '../orchestration/runs/index.ts'
import type { BeadRepository } from '../work/beads/index.ts'
import type { Convoys } from '../work/convoys/index.ts'
import type { SessionRepository, SessionResolver } from '../work/sessions/index.ts'
import type { CityDependencies } from './dependencies.ts'

interface RunServicesOptions extends CityDependencies {
  config: Config
  store: Store
  log: EventLog
  reactions: Reactions
  beadRepository: BeadRepository
  runRepository: RunRepository
  runMembers: RunMembers
  sessionRepository: SessionRepository
  processTokens: ProcessTokens
  commandConfinement: CommandConfinement
  reportError(error: unknown): void
  convoys: Convoys
  suspensions: Suspensions
  agents: AgentAvailability
  instantiator: Instantiator
  resolver: SessionResolver
  /** The sessions that ask a person something now. */
  asking(): ReadonlySet<string>
  usage: UsageOfSessions
}

/** Builds the services that run formulas. */
export function buildRuns(options: RunServicesOptions) {
  const { name: city, config, beadRepository: beads, runRepository: runs, runMembers: members } = options
  const holds = new RunHolds(options)
  const parts = { ...options, sessions: options.sessionRepository, city, beads, runs, members, holds }
  const checks = new CheckRepository(options.store)
  const checkRunner = buildChecks(options, checks)
  const drainUnits = new DrainUnits({ ...parts, affinity: new SessionAffinity(parts) })
  const runsOfCity = new Runs(parts)
  return {
    checkRunner,
    drainUnits,
    runEngine: new RunEngine({
      ...parts,
      checkRunner,
      drainUnits,
      resumeCancels: () => void runsOfCity.continueCanceling().catch(options.reportError),
      resolveTarget: (name, rig) => findStepTarget(config.current, name, rig)?.agent.qualified ?? name,
    }),
    runs: runsOfCity,
    formulaRuns: new FormulaRuns(options),
    runControls: new RunControls(parts),
    runRestarts: new RunRestarts(parts),
    runHolds: holds,
    runTimelines: new RunTimelines(parts),
    runWaits: new RunWaits({ ...parts, checksOf: (root) => checks.listOf(root) }),
    workflows: new Workflows(parts),
  }
}

function buildChecks(options: RunServicesOptions, checks: CheckRepository): CheckRunner {
  const { name: city, host } = options
  return new CheckRunner({
    ...{ ...options, beads: options.beadRepository, tokens: options.processTokens },
    checks,
    confinement: options.commandConfinement,
    commands: new HostedCommands({ city, kind: 'check', host }),
    environment: () => plainEnvironment({ ...options, city }),
    sessions: options.sessionRepository,
  })
}
