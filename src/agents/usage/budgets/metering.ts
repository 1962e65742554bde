import type { AgentConfig } from '../../../config/agents/index.ts'
import { agentNamed, type CityConfig } from '../../../config/city/index.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { errorMessage } from '../../../core/errors.ts'
import { Signal, unsubscriber } from '../../../core/signal.ts'
import type { Tx } from '../../../core/store/index.ts'
import { runtimeOf } from '../../../programs/runtimes.ts'
import type { SessionRepository } from '../../../work/sessions/index.ts'
import { type AcpConversations, builtinProviderOf, findProvider } from '../../conversations/index.ts'
import { fingerprint, type LaunchPlanner } from '../../launch/index.ts'
import type { Usage } from '../../usage/usage.ts'
import { usageReports } from './table.ts'

/**
 * Knows the agents whose use cannot be counted: their program writes no log that can be read, or it ended a turn by
 * protocol and did not report what that used. What an agent uses then is unknown, unless it is declared to cost nothing.
 */
export class Metering {
  /** True if agents reported what they use, each with the program that did or did not. */
  readonly #reports: Map<string, { program: string; reports: boolean }>
  readonly #changed = new Signal()
  readonly #unsubscribe: () => void

  constructor(
    context: CityContext,
    private readonly peers: {
      config: { readonly current: CityConfig; onChange(listener: () => void): () => void }
      launchPlanner: Pick<LaunchPlanner, 'provider' | 'transport'>
      conversations: Pick<AcpConversations, 'onTurnEnd'>
      repository: Pick<SessionRepository, 'find'>
      usage: Pick<Usage, 'onUsage'>
    },
  ) {
    const { store, report } = context
    const { config, conversations, repository, usage } = peers
    const rows = store.read((orm) => orm.select().from(usageReports).all())
    this.#reports = new Map(rows.map((row) => [row.agent, row]))
    usage.onUsage((tx, { agent, answeredAt }) => {
      if (answeredAt !== undefined) this.#record(tx, agent, true)
    })
    this.#unsubscribe = unsubscriber(
      conversations.onTurnEnd(({ session, reason, usage }) => {
        const row = repository.find(session)
        if (row?.kind !== 'agent' || reason !== 'end_turn' || usage !== undefined) return
        store
          .write((tx) => this.#record(tx, row.template, false))
          .catch((error) => report(`it could not be saved that ${row.template} reports no use: ${errorMessage(error)}`))
      }),
      config.onChange(() => this.#notify()),
    )
  }

  /** True if what an agent uses is unknown. */
  isUnknown(agent: AgentConfig): boolean {
    if (agent.cost === 'none') return false
    const { launchPlanner } = this.peers
    const { qualified: template, provider = '' } = agent
    if (launchPlanner.transport({ kind: 'agent', template, provider, login: '' }) === 'acp')
      return this.#find(agent)?.reports === false
    return runtimeOf(builtinProviderOf(launchPlanner, agent)).log === undefined
  }

  /** Calls the listener when that may have changed. */
  readonly onChange = this.#changed.listen

  stop(): void {
    this.#unsubscribe()
    this.#changed.clear()
  }

  /** Known facts about the program that an agent runs now. */
  #find(agent: AgentConfig): { reports: boolean } | undefined {
    const known = this.#reports.get(agent.qualified)
    return known?.program === this.#programOf(agent) ? known : undefined
  }

  /** A program that reported once is trusted to report each turn that used something. */
  #record(tx: Tx, name: string, reports: boolean): void {
    const agent = agentNamed(this.peers.config.current, name)
    const known = agent && this.#find(agent)
    if (!agent || known?.reports || (known && !reports)) return
    const now = { program: this.#programOf(agent), reports }
    const row = { agent: name, ...now }
    tx.orm.insert(usageReports).values(row).onConflictDoUpdate({ target: usageReports.agent, set: now }).run()
    tx.after(() => {
      this.#reports.set(name, now)
      this.#notify()
    })
  }

  #programOf({ startCommand, provider = '' }: AgentConfig): string {
    const { command, args, acpCommand } = findProvider(this.peers.launchPlanner, provider) ?? {}
    return JSON.stringify(fingerprint({ program: startCommand || [provider, command, args, acpCommand] }))
  }

  #notify(): void {
    this.#changed.emit()
  }
}
