import type { Entry } from '../../../programs/entries/index.ts'
import type { LogSnapshot } from '../../../programs/logs/index.ts'
import { prepareBlocks } from '../formats/transcript.ts'
import type { OwnLog } from './tracked-log.ts'

/** An entry of a conversation, or of a sub-agent's. */
export interface SpokenEntry {
  readonly entry: Entry
  /** Unique in the session. */
  readonly id: string
  /** The sub-agent; undefined for the session's own conversation. */
  readonly agent: string | undefined
}

/** Entries that a conversation hides come first. */
export function ownEntries({ entries, recorded }: LogSnapshot): SpokenEntry[] {
  const shown = new Set(entries)
  const hidden = recorded.filter((entry) => !shown.has(entry))
  return [...hidden, ...entries].map((entry) => ({ entry, id: entry.id, agent: undefined }))
}

/** Maximum total size of sub-agents' logs that are searched, newest first. */
const SEARCHED_SIDE_BYTES = 16 * 1024 * 1024
const SEARCHED_SIDE_WINDOW = 2 * 1024 * 1024
const SEARCHED_SIDES = 200

export async function readSides(logs: readonly OwnLog[]): Promise<SpokenEntry[]> {
  const sides = logs.filter(({ role }) => role !== 'main').slice(-SEARCHED_SIDES)
  const found: SpokenEntry[][] = []
  let rest = SEARCHED_SIDE_BYTES
  for (const { handle, role } of sides.reverse()) {
    if (rest <= 0) break
    const bytes = Math.min(rest, SEARCHED_SIDE_WINDOW)
    const reader = handle.open({ windowBytes: bytes, keepBytes: bytes, skipsToEnd: true })
    try {
      await reader.refresh()
      await prepareBlocks(reader)
      const agent = role === 'side' ? handle.key : undefined
      found.unshift(reader.snapshot.recorded.map((entry) => ({ entry, id: `${handle.key}:${entry.id}`, agent })))
      rest -= Math.min(rest, reader.position?.offset ?? bytes)
    } finally {
      reader.close()
    }
  }
  return found.flat()
}
