import { toTimestamp } from '../../../core/clock.ts'
import type { OutputTurn } from '../../agents/schema.ts'
import { turnText } from './blocks.ts'
import type { Entry } from './entry.ts'

/** Whether an entry is a turn of the conversation. */
export const isTurn = (entry: Entry): boolean => entry.speaker !== undefined && turnText(entry.blocks()) !== ''

export const toTurn = (entry: Entry): OutputTurn => ({
  role: entry.speaker ?? 'system',
  text: turnText(entry.blocks()),
  ...(entry.at !== undefined && { timestamp: toTimestamp(entry.at) }),
})
