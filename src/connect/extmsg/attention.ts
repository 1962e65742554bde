import type { AttentionEntry, AttentionSource } from '../../core/attention.ts'
import { toTimestamp } from '../../core/clock.ts'
import type { AdapterHealth } from './adapter-health.ts'
import { conversationName } from './nudger.ts'
import type { Undelivered } from './undelivered.ts'

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
    return this.undelivered.all().map(({ row, reason }) => ({
      id: `conversation:${conversationName(row)}`,
      kind: 'conversation',
      asks: `Messages of conversation ${conversationName(row)} in ${row.provider} reach nobody: ${reason}.`,
      to_do: `gc extmsg transcript ${conversationName(row)}, then gc extmsg handoff ${conversationName(row)} --to <session or agent>`,
    }))
  }
}
