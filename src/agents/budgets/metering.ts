import type { AgentConfig, CityConfig } from '../../config/city-config.ts'
import type { AcpConversations } from '../conversations/acp/conversations.ts'
import { LOG_FINDERS } from '../conversations/logs/log-finders.ts'
import { builtinProviderOf } from '../conversations/tracking/session-program.ts'
import type { Launcher } from '../lifecycle/launcher.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type { Usage } from '../usage/usage.ts'

interface MeteringOptions {
  config: { readonly current: CityConfig; onChange(listener: () => void): () => void }
  launcher: Pick<Launcher, 'provider' | 'transport'>
  conversations: Pick<AcpConversations, 'onTurnEnd'>
  repository: Pick<SessionRepository, 'find'>
  usage: Pick<Usage, 'onUsage'>
}

/**
 * Knows the agents whose use cannot be counted: their program writes no log that can be read, or it ended a turn by
 * protocol and did not report what that used. What an agent uses then is unknown, unless it is declared to cost nothing.
 */
export class Metering {
  /** Whether agents reported use by protocol since the configuration last changed. */
  readonly #reports = new Map<string, boolean>()
  readonly #listeners = new Set<() => void>()
  readonly #unsubscribes: readonly (() => void)[]

  constructor(private readonly options: MeteringOptions) {
    const { config, conversations, repository, usage } = options
    usage.onUsage((tx, { agent, answeredAt }) => {
      if (answeredAt !== undefined) tx.after(() => this.#record(agent, true))
    })
    this.#unsubscribes = [
      conversations.onTurnEnd(({ session, reason, usage }) => {
        const row = repository.find(session)
        if (row?.kind !== 'agent' || reason !== 'end_turn' || usage !== undefined) return
        if (!this.#reports.has(row.template)) this.#record(row.template, false)
      }),
      config.onChange(() => {
        this.#reports.clear()
        this.#notify()
      }),
    ]
  }

  /** Whether what an agent uses is unknown. */
  isUnknown(agent: AgentConfig): boolean {
    if (agent.cost === 'none') return false
    const { launcher } = this.options
    const { qualified: template, provider = '' } = agent
    if (launcher.transport({ kind: 'agent', template, provider, login: '' }) === 'acp')
      return this.#reports.get(template) === false
    return !LOG_FINDERS.has(builtinProviderOf(launcher, agent) ?? '')
  }

  /** Calls the listener when that may have changed. */
  onChange(listener: () => void): void {
    this.#listeners.add(listener)
  }

  close(): void {
    for (const unsubscribe of this.#unsubscribes) unsubscribe()
    this.#listeners.clear()
  }

  #record(agent: string, reports: boolean): void {
    if (this.#reports.get(agent) === reports) return
    this.#reports.set(agent, reports)
    this.#notify()
  }

  #notify(): void {
    for (const listener of this.#listeners) listener()
  }
}
