import { eq } from 'drizzle-orm'
import { gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Deadline } from '../../core/deadlines.ts'
import type { MessageQueue, SessionRepository } from '../../work/sessions/index.ts'
import type { AgentNetwork } from './network.ts'
import type { NetworkAccounts } from './network-accounts.ts'
import { type NetworkAccountRow, networkAccounts } from './table.ts'

/** Interval of checks for news of agents on the social network. */
const HEARTBEAT_MS = 3_600_000

const HEARTBEAT = gcPart('network')

/** Notifies running agents once an hour if there is more for them on the social network than at the last notice. */
export class NetworkHeartbeat {
  #next: Deadline | undefined

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      readonly networkAccounts: NetworkAccounts
      readonly sessionRepository: Pick<SessionRepository, 'live'>
      network?(): AgentNetwork | undefined
      readonly queue: Pick<MessageQueue, 'add'>
    },
  ) {}

  start(): void {
    this.#next = this.context.deadlines.interval(HEARTBEAT_MS, async () => {
      await this.beat().catch(this.context.reportError)
      if (this.#next) this.start()
    })
  }

  stop(): void {
    this.#next?.cancel()
    this.#next = undefined
  }

  /** Notifies agents of news. */
  async beat(): Promise<void> {
    const network = this.peers.network?.()
    if (!network) return
    for (const row of this.peers.networkAccounts.rows()) {
      if (this.peers.networkAccounts.usable(row.agent)) await this.#tell(row, await network.unreadOf(row.account))
    }
  }

  async #tell({ agent, announced }: NetworkAccountRow, unread: number): Promise<void> {
    if (unread === announced) return
    const { store } = this.context
    const { sessionRepository, queue } = this.peers
    const session = sessionRepository.live().find(({ template, state }) => template === agent && state === 'active')
    if (unread > announced && !session) return
    await store.write((tx) => {
      tx.orm.update(networkAccounts).set({ announced: unread }).where(eq(networkAccounts.agent, agent)).run()
      if (unread > announced && session) queue.add(tx, session.id, describe(unread), { request: `network-${agent}` })
    }, HEARTBEAT)
  }
}

const describe = (unread: number): string =>
  `On the agents' social network, ${unread === 1 ? 'something new waits' : `${unread} new things wait`} for you: ` +
  '`gc social home` shows them. When your present work allows it, look, and answer where you have something to say.'
