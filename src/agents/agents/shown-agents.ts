import type { AgentConfig } from '../../config/agents/index.ts'
import type { CityConfig } from '../../config/city/index.ts'
import type { SuspendedNow } from '../../config/suspensions/index.ts'
import { LoopSlices } from '../../core/event-loop.ts'
import { memoize } from '../../core/memoize.ts'
import { ROWS_TOGETHER, RowBlock, type RowWriter } from '../../http/respond/index.ts'
import type { ActiveBeads } from '../../work/sessions/index.ts'
import { AgentRow, expandInstances, type Instance, type InstanceContext } from './agent-row.ts'
import type { AgentHolds, AgentSession, AgentSessionDirectory, Unavailability } from './agent-session-directory.ts'

/** All that the rows of agents show, read at one moment. */
export interface AgentFacts {
  readonly config: CityConfig
  /** The open sessions by agent. */
  readonly sessions: ReadonlyMap<string, readonly AgentSession[]>
  readonly active: ActiveBeads
  readonly held: AgentHolds
  readonly suspended: SuspendedNow
  readonly unavailable: Unavailability
  readonly now: number
}

/** The state of an instance, besides its declaration and session. */
export function contextOf(
  { spec, name, session }: Instance,
  { config, active, held, suspended, unavailable, now }: AgentFacts,
  isFirst = true,
): InstanceContext {
  return {
    isFirst,
    suspended: suspended.isAgentSuspended(config, spec),
    activeBead: active.of(session ? [session.id, session.name, session.identity, name] : [name]),
    unavailable: unavailable.of(spec),
    held: session?.running ? undefined : (session?.held ?? held.of(spec)),
    now,
  }
}

/** Maximum rows that are kept; those of more are made each time. */
const MAX_KEPT_ROWS = 32_768

/** Maximum names by which agents are found; so many rows have fewer. */
const MAX_NAMES = 2 * MAX_KEPT_ROWS

/** The rows of all agents at one moment, and what they were made from. They never change. */
export class AgentRows {
  readonly blocks: readonly RowBlock<AgentRow>[]
  readonly total: number

  constructor(
    readonly common: CommonFacts,
    /** The agents of which more is known than what they have in common. */
    readonly singled: ReadonlySet<number>,
    readonly byAgent: readonly (readonly AgentRow[])[],
    readonly groups: readonly (readonly RowBlock<AgentRow>[])[],
  ) {
    this.blocks = groups.flat()
    this.total = this.blocks.reduce((sum, { rows }) => sum + rows.length, 0)
  }

  /** All rows as JSON, block by block, as often as it is read. */
  json(write: RowWriter<AgentRow>): Iterable<Uint8Array<ArrayBuffer>> {
    return { [Symbol.iterator]: () => this.blocks.values().map((block) => block.json(write)) }
  }

  /** Every row, in the order of the declarations. */
  rows(): readonly AgentRow[] {
    return this.blocks.flatMap(({ rows }) => rows)
  }
}

/** Facts shared by all agents that nothing singles out: while these stay the same, so do their rows. */
interface CommonFacts {
  readonly config: CityConfig
  readonly rigs: string
  readonly isByKind: boolean
  /** Reason that agents of each kind cannot be started. */
  readonly reasons: readonly (string | undefined)[]
}

/**
 * Makes the rows of agents. Those of before stay where nothing singles an agent out, such as a session, work, a suspension
 * or a failed start, and nothing did then; so most of many agents cost nothing.
 */
export class ShownAgents {
  #declared: DeclaredAgents | undefined
  #last: AgentRows | undefined

  constructor(private readonly directory: Pick<AgentSessionDirectory, 'kindOf'>) {}

  /** The rows of all agents; others are served in between where many are new. */
  async at(facts: AgentFacts): Promise<AgentRows> {
    const { config, suspended, unavailable } = facts
    const slices = new LoopSlices()
    const declared = await this.#declaredBy(config, slices)
    const singled = declared.singledOut(facts)
    const reasons = declared.kinds.map((agent) => unavailable.of(agent))
    const common = { config, rigs: suspended.rigs, isByKind: unavailable.isByKind, reasons }
    const last = this.#last?.common.config === config ? this.#last : undefined
    const changed = last && isSame(last.common, common) ? last.singled.union(singled) : config.agents.keys()
    const byAgent = last?.byAgent.slice() ?? []
    const groups = new Set<number>()
    for (const index of changed) {
      const rows = rowsOf(config.agents[index], facts, last?.byAgent[index])
      if (rows !== byAgent[index]) groups.add(Math.floor(index / ROWS_TOGETHER))
      byAgent[index] = rows
      if (slices.isOver) await slices.next()
    }
    const rows = new AgentRows(common, singled, byAgent, withGroups(groups, byAgent, last?.groups ?? []))
    // A look that others overtook is as good as theirs: what it was made from is kept with it.
    this.#last = rows.total <= MAX_KEPT_ROWS ? rows : undefined
    return rows
  }

  async #declaredBy(config: CityConfig, slices: LoopSlices): Promise<DeclaredAgents> {
    if (this.#declared?.config === config) return this.#declared
    const declared = new DeclaredAgents(config)
    for (const [index, agent] of config.agents.entries()) {
      declared.add(index, agent, this.directory.kindOf(agent))
      if (slices.isOver) await slices.next()
    }
    this.#declared = declared
    return declared
  }
}

/** The agents of a configuration, found by what may single them out. */
class DeclaredAgents {
  /** An agent of each kind. */
  readonly kinds: AgentConfig[] = []
  readonly #known = new Set<string>()
  readonly #byName = new Map<string, number>()
  /** Agents that have a kind or name of their own. */
  readonly #always = new Set<number>()

  constructor(readonly config: CityConfig) {}

  add(index: number, agent: AgentConfig, kind: string | undefined): void {
    if (kind === undefined) this.#always.add(index)
    else if (!this.#known.has(kind)) {
      this.#known.add(kind)
      this.kinds.push(agent)
    }
    // More names have more rows than are kept.
    if (this.#byName.size > MAX_NAMES) return
    for (const name of [agent.qualified, ...expandInstances(agent, []).map(({ name }) => name)]) {
      const other = this.#byName.getOrInsert(name, index)
      if (other !== index) this.#always.add(other).add(index)
    }
  }

  /** The agents of which anything is known besides what they have in common with others. */
  singledOut({ sessions, active, held, suspended }: AgentFacts): ReadonlySet<number> {
    const singled = new Set(this.#always)
    for (const names of [sessions.keys(), active.assignees, held.agents, suspended.agents]) {
      for (const name of names) {
        const index = this.#byName.get(name)
        if (index !== undefined) singled.add(index)
      }
    }
    return singled
  }
}

const isSame = (a: CommonFacts, b: CommonFacts): boolean =>
  a.config === b.config &&
  a.rigs === b.rigs &&
  a.isByKind &&
  b.isByKind &&
  a.reasons.every((reason, kind) => reason === b.reasons[kind])

const NONE: readonly AgentRow[] = []

/** The rows of an agent; those of before where they show the same. */
function rowsOf(agent: AgentConfig | undefined, facts: AgentFacts, before = NONE): readonly AgentRow[] {
  if (!agent) return NONE
  const { providers } = facts.config
  const byName = memoize(() => new Map(before.map((row) => [row.instance.name, row])))
  const rows = expandInstances(agent, facts.sessions.get(agent.qualified) ?? []).map((instance, index) => {
    const context = contextOf(instance, facts, index === 0)
    const known = before[index]?.instance.name === instance.name ? before[index] : byName().get(instance.name)
    return known?.shows(instance, context, providers) ? known : new AgentRow(instance, context, providers)
  })
  return rows.length === before.length && rows.every((row, index) => row === before[index]) ? before : rows
}

/** Renews the groups of blocks that changed. */
function withGroups(
  changed: ReadonlySet<number>,
  byAgent: readonly (readonly AgentRow[])[],
  before: AgentRows['groups'],
): AgentRows['groups'] {
  const groups = before.slice()
  for (const group of changed) {
    const rows = byAgent.slice(group * ROWS_TOGETHER, (group + 1) * ROWS_TOGETHER).flat()
    groups[group] = RowBlock.blocks(rows, before[group])
  }
  return groups
}
