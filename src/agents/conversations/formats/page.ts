import type { Static } from '@sinclair/typebox'
import { AppError } from '../../../core/errors.ts'
import type { Entry } from '../../../programs/entries/index.ts'
import type { PaginationInfo } from '../schema.ts'
import { TRANSCRIPT_CURSOR_INVALIDATED } from './errors.ts'

/** The requested page of a log. */
export interface PageRequest {
  /** The number of segments between compactions, from the end; 0 for all. */
  readonly tail?: number | undefined
  readonly before?: string | undefined
  readonly after?: string | undefined
}

export interface EntryPage {
  readonly entries: readonly Entry[]
  readonly pagination?: Static<typeof PaginationInfo>
}

/** The page of entries that `isShown` accepts, and its place among the others. */
export function paginate(all: readonly Entry[], page: PageRequest, isShown: (entry: Entry) => boolean): EntryPage {
  const { tail = 0, before, after } = page
  const from = after === undefined ? 0 : indexOfEntry(all, after) + 1
  const to = before === undefined ? all.length : indexOfEntry(all, before)
  const start = Math.max(from, segmentStart(all.slice(0, to), tail))
  const entries = all.slice(start, to).filter(isShown)
  if (tail === 0 && before === undefined && after === undefined) return { entries }
  const hasOlder = all.slice(0, start).some(isShown)
  const first = entries[0]?.id ?? all[start]?.id
  return {
    entries,
    pagination: {
      has_older_messages: hasOlder,
      ...(before !== undefined && { has_newer_messages: all.slice(to).some(isShown) }),
      total_message_count: all.filter(isShown).length,
      returned_message_count: entries.length,
      ...(hasOlder && first !== undefined && { truncated_before_message: first }),
      total_compactions: all.filter(({ boundary }) => boundary).length,
    },
  }
}

function indexOfEntry(all: readonly Entry[], id: string): number {
  const index = all.findIndex((entry) => entry.id === id)
  if (index >= 0) return index
  throw new AppError(TRANSCRIPT_CURSOR_INVALIDATED, 'that entry is no longer in the transcript; read it from the start')
}

/** The index at which the newest `tail` segments start: a compaction or the first entry. */
function segmentStart(all: readonly Entry[], tail: number): number {
  if (tail === 0) return 0
  const boundaries = all.flatMap(({ boundary }, index) => (boundary ? [index] : []))
  return boundaries.at(-tail) ?? 0
}
