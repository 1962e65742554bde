import type { ModelUsage } from '../conversations/entries/entry.ts'
import type { LogSnapshot } from '../conversations/entries/log-reader.ts'

/** So many answers are remembered as counted; the ledger knows all of them. */
const REMEMBERED = 1000

/** Picks out of logs what their models used: each answer once, when it is over. */
export class Harvest {
  readonly #known = new Map<string, Set<string>>()

  /** Answers of a session's log that were not given before. */
  of(session: string, { entries }: LogSnapshot): ModelUsage[] {
    const known = this.#known.get(session) ?? new Set()
    this.#known.set(session, known)
    return over(entries).filter(({ id }) => {
      if (known.has(id)) return false
      known.add(id)
      if (known.size > REMEMBERED) known.delete(known.values().next().value ?? '')
      return true
    })
  }

  /** Answers that could not be counted are given again. */
  again(session: string): void {
    this.#known.delete(session)
  }

  forget(session: string): void {
    this.#known.delete(session)
  }
}

/** An answer may stand in several entries, of which the last counts; the newest one may still get more. */
function over(entries: LogSnapshot['entries']): ModelUsage[] {
  const uses = new Map<string, ModelUsage>()
  for (const { usage: use } of entries) {
    if (!use) continue
    uses.delete(use.id)
    uses.set(use.id, use)
  }
  const last = entries.at(-1)
  const open = last?.usage && (last.turn === undefined || last.partial) ? last.usage.id : undefined
  return [...uses.values()].filter(({ id }) => id !== open)
}
