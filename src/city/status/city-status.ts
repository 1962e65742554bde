import { statSync } from 'node:fs'
import type { AgentResponse, Agents } from '../../agents/agents/index.ts'
import type { AgentConfig, NamedSessionConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/index.ts'
import { oncePerTick } from '../../core/once-per-tick.ts'
import type { Store } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { Beads } from '../../work/beads/index.ts'
import type { Mail } from '../../work/mail/index.ts'
import { CityResumed, CitySuspended } from './events.ts'
import type { AgentDetail, CityGet, CityPatch, Health, Status } from './schema.ts'
import type { StoreHealth } from './store-health.ts'

/** Counts sessions for the status. */
export interface SessionCounter {
  /** Number of running and suspended sessions, and the draining ones. */
  counts(): { active: number; suspended: number; draining: ReadonlySet<string> }
  /** The state of the open session with a configured identity. */
  named(identity: string): string | undefined
}

interface CityStatusDependencies {
  name: string
  version: string
  store: Store
  storeHealth: StoreHealth
  log: EventLog
  clock: Clock
  config: Config
  suspensions: Suspensions
  beads: Beads
  mail: Pick<Mail, 'count'>
  agents: Agents
  sessions: SessionCounter
}

/** Above this ratio a database is larger than its content should need. */
const MB_PER_ROW = 1

/** A city as a whole: whether it works, and on how much. Everything comes from counters and small indexes. */
export class CityStatus {
  readonly #startedAt: number

  constructor(private readonly dependencies: CityStatusDependencies) {
    this.#startedAt = dependencies.clock.monotonic()
  }

  city(): CityGet {
    const { config, name, version } = this.dependencies
    const { workspace, agents, rigs, path } = config.current
    return {
      name,
      path,
      version,
      suspended: this.#suspended,
      ...(workspace.provider !== undefined && { provider: workspace.provider }),
      ...(workspace.sessionTemplate !== undefined && { session_template: workspace.sessionTemplate }),
      uptime_sec: this.#uptime,
      agent_count: agents.length,
      rig_count: rigs.length,
    }
  }

  health(): Health {
    const { problem } = this.dependencies.storeHealth
    const status = problem ? `failed: ${problem}` : 'ok'
    return { status, version: this.dependencies.version, city: this.dependencies.name, uptime_sec: this.#uptime }
  }

  /** Suspends or resumes the city. */
  async change(caller: Caller, { suspended }: CityPatch): Promise<OKResponseBody> {
    if (suspended === undefined) throw new AppError('invalid-request', 'no fields to update: give suspended')
    const { store, log, suspensions, config } = this.dependencies
    return store.write((tx) => {
      if (suspensions.set(tx, 'city', '', suspended, config.current.workspace.suspendedOnStart))
        log.append(tx, suspended ? CitySuspended : CityResumed, {}, {})
      return { status: 'ok' }
    }, actorOf(caller))
  }

  /** The status, made once for all who ask at the same time; `lite` leaves out work, mail and store. */
  readonly status = oncePerTick((lite: boolean) => this.#status(lite))

  async #status(lite: boolean): Promise<Status> {
    const { config, suspensions, sessions, name, version } = this.dependencies
    const { agents, rigs, path, namedSessions } = config.current
    const agentRows = (await this.dependencies.agents.list({})).items
    const { active, suspended, draining } = sessions.counts()
    const rigDetails = rigs.map((rig) => ({
      name: rig.name,
      path: rig.path ?? '',
      suspended: suspensions.isRigSuspended(config.current, rig),
    }))
    return {
      name,
      path,
      version,
      uptime_sec: this.#uptime,
      suspended: this.#suspended,
      agent_count: agentRows.length,
      rig_count: rigs.length,
      running: active,
      agents: countAgents(agentRows),
      rigs: { total: rigs.length, suspended: rigDetails.filter((rig) => rig.suspended).length },
      work: lite ? { in_progress: 0, ready: 0, open: 0 } : this.#workCounts(),
      mail: lite ? { unread: 0, total: 0 } : this.#mailCounts(),
      agent_details: agentDetails(agents, agentRows, draining),
      rig_details: rigDetails,
      named_session_details: namedSessions.map((named) => this.#namedSession(named)),
      ...this.#problems(),
      ...(!lite && {
        beads_version: version,
        beads: { beads_store: 'sqlite', native_store_eligible: true },
        conditional_writes: CONDITIONAL_WRITES,
        store_health: this.#storeHealth(),
        session_counts_detail: { active, suspended },
      }),
    }
  }

  get #uptime(): number {
    return Math.floor((this.dependencies.clock.monotonic() - this.#startedAt) / 1000)
  }

  get #suspended(): boolean {
    return this.dependencies.suspensions.isCitySuspended(this.dependencies.config.current)
  }

  /** Reason the city is not fully working. */
  #problems(): Pick<Status, 'partial' | 'partial_errors'> {
    const { storeHealth, config } = this.dependencies
    const { problem } = storeHealth
    const problems = [problem && `store: ${problem}`, config.problem && `configuration: ${config.problem}`]
    const partial_errors = problems.filter((problem) => typeof problem === 'string')
    return partial_errors.length > 0 ? { partial: true, partial_errors } : {}
  }

  #workCounts(): Status['work'] {
    const work = { in_progress: 0, ready: 0, open: 0 }
    for (const counts of this.dependencies.beads.counts().values()) {
      work.in_progress += counts.in_progress
      work.ready += counts.ready
      work.open += counts.open
    }
    return work
  }

  #mailCounts(): Status['mail'] {
    return this.dependencies.mail.count({})
  }

  #namedSession({ qualified, mode }: NamedSessionConfig): { identity: string; mode: string; status: string } {
    return {
      identity: qualified,
      mode,
      status: this.dependencies.sessions.named(qualified) ?? 'reserved-unmaterialized',
    }
  }

  #storeHealth(): NonNullable<Status['store_health']> {
    const { path } = this.dependencies.store
    const size_bytes = sizeOf(path) + sizeOf(`${path}-wal`)
    const live_rows = this.dependencies.beads.total()
    const ratio = size_bytes / 2 ** 20 / Math.max(1, live_rows)
    return {
      path,
      size_bytes,
      live_rows,
      ratio_mb_per_row: ratio,
      threshold_mb_per_row: MB_PER_ROW,
      warning: live_rows > 1000 && ratio > MB_PER_ROW,
    }
  }
}

/** One database, one writer: a lost update is rejected by the transaction itself. */
const CONDITIONAL_WRITES: NonNullable<Status['conditional_writes']> = {
  mode: 'require',
  origin: 'builtin',
  effective: 'active',
  stores: [{ store_id: 'city', kind: 'native', capable: true, probe: 'capable', latch: 'unlatched' }],
}

/** Counts each agent in one bucket at most. */
function countAgents(agents: readonly AgentResponse[]): Status['agents'] {
  const counts = { total: agents.length, running: 0, suspended: 0, quarantined: 0 }
  for (const { suspended, state, running } of agents) {
    if (suspended) counts.suspended++
    else if (state === 'quarantined') counts.quarantined++
    else if (running) counts.running++
  }
  return counts
}

function agentDetails(
  specs: readonly AgentConfig[],
  agents: readonly AgentResponse[],
  draining: ReadonlySet<string>,
): AgentDetail[] {
  const byName = new Map(specs.map((spec) => [spec.qualified, spec]))
  const labelled = new Set<string>()
  return agents.map((agent) => {
    const spec = agent.pool === undefined ? undefined : byName.get(agent.pool)
    const first = agent.pool !== undefined && !labelled.has(agent.pool)
    if (agent.pool !== undefined) labelled.add(agent.pool)
    return {
      name: agent.name.slice(agent.name.lastIndexOf('/') + 1),
      qualified_name: agent.name,
      scope: agent.rig === undefined ? 'city' : 'rig',
      running: agent.running,
      suspended: agent.suspended,
      ...(agent.session && { session_name: agent.session.name, draining: draining.has(agent.session.name) }),
      ...(agent.pool !== undefined && { group_name: agent.pool, expanded: true }),
      ...(first && spec && { scale_label: `scaled (min=${spec.minActive}, max=${spec.maxActive ?? 'unlimited'})` }),
    }
  })
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
