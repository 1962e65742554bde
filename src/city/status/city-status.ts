import { statSync } from 'node:fs'
import type { AgentRow, AgentRows, Agents } from '../../agents/agents/index.ts'
import type { NamedSessionConfig } from '../../config/agents/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import { oncePerTick } from '../../core/once-per-tick.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { JsonRows, type RowBlock, responseTooLarge } from '../../http/respond/index.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import type { Beads } from '../../work/beads/index.ts'
import type { Mail } from '../../work/mail/index.ts'
import { CityResumed, CitySuspended } from '../events.ts'
import type { AgentDetail, CityGet, CityPatch, Health, Status } from './schema.ts'
import type { StoreHealth } from './store-health.ts'

/** Counts sessions for the status. */
export interface SessionCounter {
  /** Number of running and suspended sessions. */
  counts(): { active: number; suspended: number }
  /** The state of the open session with a configured identity. */
  named(identity: string): string | undefined
}

/** Above this ratio a database is larger than its content should need. */
const MB_PER_ROW = 1

/** A city as a whole: whether it works, and on how much. Everything comes from counters and small indexes. */
export class CityStatus {
  readonly #startedAt: number

  constructor(
    private readonly context: CityContext,
    private readonly dependencies: {
      name: string
      version: string
      storeHealth: StoreHealth
      config: Config
      suspensions: Suspensions
      beads: Beads
      mail: Pick<Mail, 'count'>
      agents: Agents
      sessions: SessionCounter
    },
  ) {
    this.#startedAt = context.clock.monotonic()
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
    const { store, log } = this.context
    const { suspensions, config } = this.dependencies
    return store.write((tx) => {
      if (suspensions.set(tx, 'city', '', suspended, config.current.workspace.suspendedOnStart))
        log.append(tx, suspended ? CitySuspended : CityResumed, {}, {})
      return { status: 'ok' }
    }, actorOf(caller))
  }

  /** The status, made once for all who ask at the same time; `lite` leaves out work, mail and store. */
  readonly status = oncePerTick((lite: boolean) => this.#status(lite))

  async #status(lite: boolean): Promise<JsonRows<Status>> {
    const rows = await this.dependencies.agents.rows()
    const counts = this.dependencies.sessions.counts()
    const rigs = this.#rigs()
    const head = { ...this.#identity(), ...this.#counts(rows, counts.active, rigs), ...this.#load(lite) }
    const rest = JSON.stringify({ rig_details: rigs, ...this.#rest(lite, counts) })
    return new JsonRows({
      head: `${JSON.stringify(head).slice(0, -1)},"agent_details":[`,
      rows: rows.json(detailed),
      tail(isComplete) {
        if (!isComplete) throw responseTooLarge('the status of this city', 'read its agents with GET ~/agents')
        return `],${rest.slice(1)}`
      },
    })
  }

  #identity(): Pick<Status, 'name' | 'path' | 'version' | 'uptime_sec' | 'suspended'> {
    const { config, name, version } = this.dependencies
    return { name, path: config.current.path, version, uptime_sec: this.#uptime, suspended: this.#suspended }
  }

  #counts(rows: AgentRows, running: number, rigs: NonNullable<Status['rig_details']>) {
    return {
      agent_count: rows.total,
      rig_count: rigs.length,
      running,
      agents: countAgents(rows),
      rigs: { total: rigs.length, suspended: rigs.filter((rig) => rig.suspended).length },
    }
  }

  #load(lite: boolean): Pick<Status, 'work' | 'mail'> {
    if (lite) return { work: { in_progress: 0, ready: 0, open: 0 }, mail: { unread: 0, total: 0 } }
    return { work: this.#workCounts(), mail: this.#mailCounts() }
  }

  /** Fields behind the details of agents and rigs. */
  #rest(lite: boolean, { active, suspended }: ReturnType<SessionCounter['counts']>): Partial<Status> {
    const { config, version } = this.dependencies
    return {
      named_session_details: config.current.namedSessions.map((named) => this.#namedSession(named)),
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

  #rigs(): NonNullable<Status['rig_details']> {
    const { config, suspensions } = this.dependencies
    return config.current.rigs.map((rig) => ({
      name: rig.name,
      path: rig.path ?? '',
      suspended: suspensions.isRigSuspended(config.current, rig),
    }))
  }

  get #uptime(): number {
    return Math.floor((this.context.clock.monotonic() - this.#startedAt) / 1000)
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
    const { path } = this.context.store
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

type AgentCounts = Omit<Status['agents'], 'total'>

/** The counts of a block, whose rows do not change. */
const known = new WeakMap<RowBlock<AgentRow>, AgentCounts>()

function countAgents({ total, blocks }: AgentRows): Status['agents'] {
  const counts = { total, running: 0, suspended: 0, quarantined: 0 }
  for (const block of blocks) {
    const { running, suspended, quarantined } = known.getOrInsertComputed(block, countRows)
    counts.running += running
    counts.suspended += suspended
    counts.quarantined += quarantined
  }
  return counts
}

/** Counts each agent in one bucket at most. */
function countRows({ rows }: RowBlock<AgentRow>): AgentCounts {
  const counts = { running: 0, suspended: 0, quarantined: 0 }
  for (const { shown } of rows) {
    if (shown.suspended) counts.suspended++
    else if (shown.state === 'quarantined') counts.quarantined++
    else if (shown.running) counts.running++
  }
  return counts
}

/** A row as the status shows it. */
const detailed = (row: AgentRow): string => JSON.stringify(toDetail(row))

function toDetail({ shown: agent, labelled, isDraining }: AgentRow): AgentDetail {
  return {
    name: agent.name.slice(agent.name.lastIndexOf('/') + 1),
    qualified_name: agent.name,
    scope: agent.rig === undefined ? 'city' : 'rig',
    running: agent.running,
    suspended: agent.suspended,
    ...(agent.session && { session_name: agent.session.name, draining: isDraining }),
    ...(agent.pool !== undefined && { group_name: agent.pool, expanded: true }),
    ...(labelled && { scale_label: `scaled (min=${labelled.minActive}, max=${labelled.maxActive ?? 'unlimited'})` }),
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}
