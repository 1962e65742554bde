import type { ConversationRow } from './table.ts'

/** A conversation whose messages reach nobody. */
export interface UndeliveredConversation {
  readonly row: ConversationRow
  readonly reason: string
}

const MAX = 100

/** The conversations whose last message reached nobody, since the city was opened. */
export class Undelivered {
  readonly #conversations = new Map<number, UndeliveredConversation>()
  readonly #listeners = new Set<() => void>()

  all(): UndeliveredConversation[] {
    return [...this.#conversations.values()]
  }

  add(row: ConversationRow, reason: string): void {
    if (this.#conversations.size >= MAX || this.#conversations.get(row.n)?.reason === reason) return
    this.#conversations.set(row.n, { row, reason })
    this.#changed()
  }

  clear({ n }: Pick<ConversationRow, 'n'>): void {
    if (this.#conversations.delete(n)) this.#changed()
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  #changed(): void {
    for (const listener of this.#listeners) listener()
  }
}
