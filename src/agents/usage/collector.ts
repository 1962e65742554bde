import type { ModelUsage } from '../conversations/entries/entry.ts'
import type { LogSnapshot } from '../conversations/entries/log-reader.ts'

/** How many responses of a session are remembered as collected; the usage store knows all of them. */
const MAX_REMEMBERED = 1000

/** Collects the usage of model responses from logs: each response once, when it is finished. */
export class UsageCollector {
  readonly #collected = new Map<string, Set<string>>()

  /** The usage in a session's log that was not collected before. */
  collect(session: string, { entries }: LogSnapshot): ModelUsage[] {
    const collected = this.#collected.get(session) ?? new Set()
    this.#collected.set(session, collected)
    return finishedUsage(entries).filter(({ id }) => {
      if (collected.has(id)) return false
      collected.add(id)
      if (collected.size > MAX_REMEMBERED) collected.delete(collected.values().next().value ?? '')
      return true
    })
  }

  /** Collects a session's usage again, since it could not be stored. */
  retry(session: string): void {
    this.#collected.delete(session)
  }

  forget(session: string): void {
    this.#collected.delete(session)
  }
}

/** A response may span several entries, the last of which counts; the newest response may still continue. */
function finishedUsage(entries: LogSnapshot['entries']): ModelUsage[] {
  const byId = new Map<string, ModelUsage>()
  for (const { usage } of entries) {
    if (!usage) continue
    byId.delete(usage.id)
    byId.set(usage.id, usage)
  }
  const last = entries.at(-1)
  const openId = last?.usage && (last.turn === undefined || last.partial) ? last.usage.id : undefined
  return [...byId.values()].filter(({ id }) => id !== openId)
}
