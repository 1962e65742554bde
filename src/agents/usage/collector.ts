import type { ModelUsage } from '../../programs/entries/index.ts'
import type { LogSnapshot } from '../../programs/logs/index.ts'

/** The usage of a response as it is in a log. */
export interface CollectedUsage extends ModelUsage {
  /** The first entry of the response, which a copy of the log has as well. */
  readonly entry: string
}

/** Number of responses of a session that are remembered as collected; the usage store knows all of them. */
const MAX_REMEMBERED = 1000

/** Collects the usage of model responses from logs as it grows: each response again whenever more of it is logged. */
export class UsageCollector {
  /** Collected parts of each response, by session. */
  readonly #collected = new Map<string, Map<string, string>>()

  /** The usage in a session's log that was not collected before. */
  collect(session: string, { recorded }: Pick<LogSnapshot, 'recorded'>): CollectedUsage[] {
    const collected = this.#collected.get(session) ?? new Map<string, string>()
    this.#collected.set(session, collected)
    return latestUsage(recorded).filter((usage) => {
      const { id } = usage
      const counts = JSON.stringify([usage.tokens, usage.cost])
      if (collected.get(id) === counts) return false
      collected.delete(id)
      collected.set(id, counts)
      if (collected.size > MAX_REMEMBERED) collected.delete(collected.keys().next().value ?? '')
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

/** A response may span several entries, each with all that it used so far. */
function latestUsage(entries: LogSnapshot['recorded']): CollectedUsage[] {
  const byId = new Map<string, CollectedUsage>()
  for (const { id, usage } of entries) {
    if (!usage) continue
    const entry = byId.get(usage.id)?.entry ?? id
    byId.delete(usage.id)
    byId.set(usage.id, { ...usage, entry })
  }
  return [...byId.values()]
}
