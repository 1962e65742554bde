import type { CommandConfinement } from '../../agents/confinement/index.ts'
import { type CityEnvironment, HostedCommands, plainEnvironment } from '../../agents/launch/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Clock } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import type { EventLog, Reactions } from '../../core/events/index.ts'
import type { Store } from '../../core/store/index.ts'
import type { ProcessTokens } from '../../http/process-tokens.ts'
import type { BeadRepository } from '../../work/beads/index.ts'
import type { Convoys } from '../../work/convoys/index.ts'
import type { SessionRepository, SessionResolver } from '../../work/sessions/index.ts'
import { findStepTarget } from '../formulas/index.ts'
import { CheckRepository } from './checks/repository.ts'
import { CheckRunner } from './checks/runner.ts'
import { RunControls } from './controls.ts'
import { DrainUnits } from './drain/units.ts'
import { RunEngine } from './engine/engine.ts'
import { FormulaRuns } from './formula-runs.ts'
import { RunHolds } from './holds.ts'
import type { Instantiator } from './instantiate/instantiator.ts'
import type { RunMembers } from './members.ts'
import type { RunRepository } from './repository.ts'
import { RunRestarts } from './restarts.ts'
import { Runs } from './runs.ts'
import { SessionAffinity } from './session-affinity.ts'
import { RunTimelines, type UsageOfSessions } from './timeline.ts'
import { type AgentAvailability, RunWaits } from './waits.ts'
import { Workflows } from './workflows.ts'

/** Dependencies of a city's runs on the rest of the city. */
interface RunsOptions extends Omit<CityEnvironment, 'city' | 'network'> {
  context: CityContext
  name: string
  clock: Clock
  deadlines: Deadlines
  log: EventLog
  report(message: string): void
  host: ConstructorParameters<typeof HostedCommands>[0]['host']
  config: Config
  store: Store
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
export function openRuns(options: RunsOptions) {
  const { name: city, config, beadRepository: beads, runRepository: runs, runMembers: members } = options
  const holds = new RunHolds(options.context, options)
  const parts = { ...options, sessions: options.sessionRepository, city, beads, runs, members, holds }
  const checks = new CheckRepository(options.store)
  const checkRunner = buildChecks(options, checks)
  const drainUnits = new DrainUnits({ ...parts, affinity: new SessionAffinity(options.context, parts) })
  const runsOfCity = new Runs(parts)
  return {
    checkRunner,
    drainUnits,
    runEngine: new RunEngine(options.context, {
      ...parts,
      checkRunner,
      drainUnits,
      resumeCancels: () => void runsOfCity.continueCanceling().catch(options.reportError),
      resolveTarget: (name, rig) => findStepTarget(config.current, name, rig)?.agent.qualified ?? name,
    }),
    runs: runsOfCity,
    formulaRuns: new FormulaRuns(options.config, options.runRepository),
    runControls: new RunControls(parts),
    runRestarts: new RunRestarts(parts),
    runHolds: holds,
    runTimelines: new RunTimelines(options.context, parts),
    runWaits: new RunWaits(options.context, { ...parts, checksOf: (root) => checks.listOf(root) }),
    workflows: new Workflows(options.context, parts),
  }
}

function buildChecks(options: RunsOptions, checks: CheckRepository): CheckRunner {
  const { name: city, host } = options
  return new CheckRunner(options.context, {
    ...{ ...options, beads: options.beadRepository, tokens: options.processTokens },
    checks,
    confinement: options.commandConfinement,
    commands: new HostedCommands({ city, kind: 'check', host }),
    environment: () => plainEnvironment({ ...options, city }),
    sessions: options.sessionRepository,
  })
}
