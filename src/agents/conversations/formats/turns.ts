import { toTimestamp } from '../../../core/clock.ts'
import { type Entry, turnText } from '../../../programs/entries/index.ts'
import type { OutputTurn } from '../schema.ts'

/** True if an entry is a turn of the conversation. */
export const isTurn = (entry: Entry): boolean => entry.speaker !== undefined && turnText(entry.blocks()) !== ''

export const toTurn = (entry: Entry): OutputTurn => ({
  role: entry.speaker ?? 'system',
  text: turnText(entry.blocks()),
  ...(entry.timestamp !== undefined && { timestamp: toTimestamp(entry.timestamp) }),
})
