import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { AdapterHealth } from './adapter-health.ts'
import { conversationName } from './nudger.ts'
import { type Undelivered, undeliveredText } from './undelivered.ts'

/** Messengers that cannot be reached, and conversations that nobody reads. */
export class ExternalMessageAttention implements AttentionSource {
  readonly name = 'extmsg'

  constructor(
    private readonly health: AdapterHealth,
    private readonly undelivered: Undelivered,
  ) {}

  items(): AttentionEntry[] {
    return [...this.#adapters(), ...this.#conversations()]
  }

  onChange(listener: () => void): () => void {
    const unsubscribes = [this.health.onChange(listener), this.undelivered.onChange(listener)]
    return () => {
      for (const unsubscribe of unsubscribes) unsubscribe()
    }
  }

  #adapters(): AttentionEntry[] {
    return this.health.unreachable().map(({ provider, accountId, reason, since }) => ({
      id: `adapter:${provider}/${accountId}`,
      kind: 'adapter',
      since: toTimestamp(since),
      asks: `Messages of agents do not reach ${provider}/${accountId}: ${reason}. Each sender was told.`,
      to_do: 'start the adapter again, which registers itself; the next message that it takes ends this',
    }))
  }

  #conversations(): AttentionEntry[] {
    return this.undelivered.all().map(({ row, known }) => {
      const name = conversationName(row)
      const giveAway = `gc extmsg handoff ${name} --to <session or agent>`
      return {
        id: `conversation:${name}`,
        kind: 'conversation',
        since: toTimestamp(known.since),
        asks: `Messages of conversation ${name} in ${row.provider} reach nobody: ${undeliveredText(known)}`,
        to_do:
          known.said === ''
            ? `gc extmsg transcript ${name}, then ${giveAway}`
            : `${giveAway}, or gc extmsg unbind ${name} to answer nothing`,
      }
    })
  }
}
