import type { CommandConfinement } from '../agents/confinement/command-confinement.ts'
import { plainEnvironment } from '../agents/launch/environment.ts'
import { HostedCommands } from '../agents/launch/hosted-commands.ts'
import type { Config } from '../config/compose/config.ts'
import type { Suspensions } from '../config/suspensions/suspensions.ts'
import type { EventLog } from '../core/events/log.ts'
import type { Reactions } from '../core/events/reactions.ts'
import type { Store } from '../core/store/store.ts'
import type { ProcessTokens } from '../http/process-tokens.ts'
import { CheckRepository } from '../orchestration/checks/repository.ts'
import { CheckRunner } from '../orchestration/checks/runner.ts'
import { DrainUnits } from '../orchestration/drain/units.ts'
import { RunEngine } from '../orchestration/engine/engine.ts'
import { findStepTarget } from '../orchestration/formulas/target.ts'
import type { Instantiator } from '../orchestration/instantiate/instantiator.ts'
import { RunControls } from '../orchestration/runs/controls.ts'
import { FormulaRuns } from '../orchestration/runs/formula-runs.ts'
import { RunHolds } from '../orchestration/runs/holds.ts'
import type { RunMembers } from '../orchestration/runs/members.ts'
import type { RunRepository } from '../orchestration/runs/repository.ts'
import { RunRestarts } from '../orchestration/runs/restarts.ts'
import { Runs } from '../orchestration/runs/runs.ts'
import { SessionAffinity } from '../orchestration/runs/session-affinity.ts'
import { RunTimelines, type UsageOfSessions } from '../orchestration/runs/timeline.ts'
import { type AgentAvailability, RunWaits } from '../orchestration/runs/waits.ts'
import { Workflows } from '../orchestration/runs/workflows.ts'
import type { BeadRepository } from '../work/beads/repository.ts'
import type { Convoys } from '../work/convoys/convoys.ts'
import type { SessionRepository } from '../work/sessions/repository.ts'
import type { SessionResolver } from '../work/sessions/resolver.ts'
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

/** What runs formulas once their beads are there. */
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
