import type { Static } from '@sinclair/typebox'
import { AppError } from '../../../core/errors.ts'
import type { Entry } from '../entries/entry.ts'
import type { PaginationInfo } from '../structured/turns.ts'
import { TRANSCRIPT_CURSOR_INVALIDATED } from './errors.ts'

/** Which part of a log is wanted. */
export interface PageRequest {
  /** So many segments between compactions, from the end; 0 for all. */
  readonly tail?: number | undefined
  readonly before?: string | undefined
  readonly after?: string | undefined
}

export interface EntryPage {
  readonly entries: readonly Entry[]
  readonly pagination?: Static<typeof PaginationInfo>
}

/** A part of a log: entries that `shows` accepts, and where they stand among the others. */
export function paginate(all: readonly Entry[], page: PageRequest, shows: (entry: Entry) => boolean): EntryPage {
  const { tail = 0, before, after } = page
  const from = after === undefined ? 0 : indexOfEntry(all, after) + 1
  const to = before === undefined ? all.length : indexOfEntry(all, before)
  const start = Math.max(from, segmentStart(all.slice(0, to), tail))
  const entries = all.slice(start, to).filter(shows)
  if (tail === 0 && before === undefined && after === undefined) return { entries }
  const older = all.slice(0, start).some(shows)
  const first = entries[0]?.id ?? all[start]?.id
  return {
    entries,
    pagination: {
      has_older_messages: older,
      ...(before !== undefined && { has_newer_messages: all.slice(to).some(shows) }),
      total_message_count: all.filter(shows).length,
      returned_message_count: entries.length,
      ...(older && first !== undefined && { truncated_before_message: first }),
      total_compactions: all.filter(({ boundary }) => boundary).length,
    },
  }
}

function indexOfEntry(all: readonly Entry[], id: string): number {
  const place = all.findIndex((entry) => entry.id === id)
  if (place >= 0) return place
  throw new AppError(
    TRANSCRIPT_CURSOR_INVALIDATED,
    'that entry is not in the transcript any more; read it from the start',
  )
}

/** Where the newest `tail` segments begin: at a compaction, or at the very beginning. */
function segmentStart(all: readonly Entry[], tail: number): number {
  if (tail === 0) return 0
  const boundaries = all.flatMap(({ boundary }, at) => (boundary ? [at] : []))
  return boundaries.at(-tail) ?? 0
}
