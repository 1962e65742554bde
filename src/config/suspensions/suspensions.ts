import type { EventLog } from '../../core/events/index.ts'
import { Signal } from '../../core/signal.ts'
import { command, query, type Store, type Tx } from '../../core/store/index.ts'
import type { AgentConfig } from '../agents/index.ts'
import type { CityConfig } from '../city/index.ts'
import { AgentResumed, AgentSuspended, RigResumed, RigSuspended } from '../events.ts'
import type { RigConfig } from '../rigs/index.ts'

/** Events of agents and rigs. */
const EVENTS = {
  agent: { suspended: AgentSuspended, resumed: AgentResumed },
  rig: { suspended: RigSuspended, resumed: RigResumed },
} as const

export type Suspendable = 'city' | 'rig' | 'agent'

/** Suspensions by hand, and their effects. */
abstract class Suspended {
  /** Value that a person set; undefined without one. */
  abstract explicit(kind: Suspendable, name: string): boolean | undefined

  /** True if something is suspended now, given what its declaration says. */
  isSuspended(kind: Suspendable, name: string, declared: boolean): boolean {
    return this.explicit(kind, name) ?? declared
  }

  /** True if the city starts no new sessions. */
  isCitySuspended({ workspace }: CityConfig): boolean {
    return this.isSuspended('city', '', workspace.suspendedOnStart)
  }

  /** True if a rig is suspended: itself, or because every agent of it was suspended by hand. */
  isRigSuspended(config: CityConfig, { name, suspendedOnStart }: RigConfig): boolean {
    if (this.isSuspended('rig', name, suspendedOnStart)) return true
    const agents = config.agents.filter(({ dir }) => dir === name)
    return agents.length > 0 && agents.every(({ qualified }) => this.explicit('agent', qualified) === true)
  }

  /** Reason gc starts no command of a rig, or of the city itself when that is ''; undefined when it does. */
  holdOf(config: CityConfig, rigName: string): string | undefined {
    if (this.isCitySuspended(config)) return 'the city is suspended'
    const rig = config.rigs.find(({ name }) => name === rigName)
    return rig && this.isRigSuspended(config, rig) ? `rig ${rig.name} is suspended` : undefined
  }

  /** True if an agent is kept from working: itself, or by its rig. */
  isAgentSuspended(config: CityConfig, { qualified, suspended, dir }: AgentConfig): boolean {
    if (this.isSuspended('agent', qualified, suspended)) return true
    const rig = dir === undefined ? undefined : config.rigs.find(({ name }) => name === dir)
    return rig !== undefined && this.isSuspended('rig', rig.name, rig.suspendedOnStart)
  }

  /** Reason an agent is kept from working, and the command that ends that; undefined when it is not. */
  explain(config: CityConfig, agent?: AgentConfig): string | undefined {
    if (this.isCitySuspended(config)) return 'the city is suspended; gc city resume'
    if (!agent || !this.isAgentSuspended(config, agent)) return undefined
    const { qualified, suspended, dir } = agent
    return this.isSuspended('agent', qualified, suspended)
      ? `agent ${qualified} is suspended; gc agent resume ${qualified}`
      : `rig ${dir} is suspended; gc rig resume ${dir}`
  }
}

/** The same of all at one moment, for anyone who asks about many. */
export class SuspendedNow extends Suspended {
  readonly #rows: ReadonlyMap<string, boolean>

  constructor(private readonly rows: readonly SuspensionRow[]) {
    super()
    this.#rows = new Map(rows.map(({ kind, name, suspended }) => [`${kind} ${name}`, suspended === 1]))
  }

  explicit(kind: Suspendable, name: string): boolean | undefined {
    return this.#rows.size === 0 ? undefined : this.#rows.get(`${kind} ${name}`)
  }

  /** The agents that a person suspended or resumed. */
  get agents(): readonly string[] {
    return this.rows.flatMap(({ kind, name }) => (kind === 'agent' ? [name] : []))
  }

  /** Suspensions of rigs by hand as one text: equal texts mean equal suspensions. */
  get rigs(): string {
    return JSON.stringify(this.rows.filter(({ kind }) => kind === 'rig'))
  }
}

interface SuspensionRow {
  kind: Suspendable
  name: string
  suspended: number
}

const SELECT = query<{ suspended: number }, [string, string]>(
  'SELECT suspended FROM suspensions WHERE kind = ? AND name = ?',
)

const ALL = query<SuspensionRow>('SELECT kind, name, suspended FROM suspensions')

const UPSERT = command<[string, string, number]>(`INSERT INTO suspensions (kind, name, suspended) VALUES (?, ?, ?)
       ON CONFLICT (kind, name) DO UPDATE SET suspended = excluded.suspended`)

const DELETE = command<[string, string]>('DELETE FROM suspensions WHERE kind = ? AND name = ?')

/**
 * Manual suspensions and resumptions. A row is there only while it differs from what the files declare, and then it
 * wins. A rig goes by its name, an agent by its qualified name, the city by ''.
 */
export class Suspensions extends Suspended {
  readonly #changed = new Signal()

  constructor(
    private readonly store: Store,
    private readonly log: EventLog,
  ) {
    super()
  }

  explicit(kind: Suspendable, name: string): boolean | undefined {
    const row = this.store.get(SELECT, kind, name)
    return row ? row.suspended === 1 : undefined
  }

  /** Current suspensions. */
  now(): SuspendedNow {
    return new SuspendedNow(this.store.all(ALL))
  }

  /** Suspends or resumes; false when it was so already. */
  set(tx: Tx, kind: Suspendable, name: string, suspended: boolean, declared: boolean): boolean {
    if (this.isSuspended(kind, name, declared) === suspended) return false
    if (suspended === declared) tx.run(DELETE, kind, name)
    else tx.run(UPSERT, kind, name, suspended ? 1 : 0)
    if (kind !== 'city') this.log.append(tx, EVENTS[kind][suspended ? 'suspended' : 'resumed'], { subject: name }, {})
    tx.after(() => this.#notify())
    return true
  }

  /** Deletes what was set for something that is no longer declared. */
  delete(tx: Tx, kind: Suspendable, name: string): void {
    if (tx.run(DELETE, kind, name).changes > 0) tx.after(() => this.#notify())
  }

  /** Calls a listener whenever something was suspended or resumed, once that is on disk; returns how to unsubscribe. */
  readonly onChange = this.#changed.listen

  #notify(): void {
    this.#changed.emit()
  }
}
