import { toTimestamp } from '../../core/clock.ts'
import { cursorAfter, invalidCursor, parseBoundaryCursor } from '../../http/respond/index.ts'
import type { ListedRun, RunRepository, RunsPlace } from './repository.ts'
import type { RunStatusCounts, RunsPageQuery } from './schema.ts'

type Shown = NonNullable<RunsPageQuery['show']>
type Status = keyof RunStatusCounts

/** The ranks of each list, one after the other. */
const RANKS: Record<Shown, readonly Pick<RunsPlace, 'order' | 'rank'>[]> = {
  all: [0, 1, 2].map((rank) => ({ order: 'list', rank })),
  ended: [{ order: 'list', rank: 2 }],
  failed: [{ order: 'feed', rank: 2 }],
}

const ENDED: readonly Status[] = ['completed', 'failed', 'canceled', 'skipped']
const STATUSES: Record<Shown, readonly Status[]> = {
  all: ['pending', 'active', 'waiting', 'canceling', ...ENDED],
  ended: ENDED,
  failed: ['failed'],
}

/** So many runs of a list, from a cursor on. */
export function* runsFrom(
  runs: Pick<RunRepository, 'page'>,
  show: Shown,
  cursor: string | undefined,
  count: number,
): Generator<ListedRun> {
  const from = parseCursor(show, cursor)
  let left = count
  for (const [at, place] of RANKS[show].entries()) {
    if (at < from.at || left === 0) continue
    for (const run of runs.page({ ...place, after: at === from.at ? from.after : undefined }, left)) {
      left--
      yield run
    }
  }
}

function parseCursor(show: Shown, cursor: string | undefined): { at: number; after: RunsPlace['after'] } {
  const from = parseBoundaryCursor(cursor)
  if (!from) return { at: 0, after: undefined }
  const at = RANKS[show].findIndex(({ rank }) => String(rank) === from.within)
  if (at < 0 || from.createdAt === undefined) throw invalidCursor()
  return { at, after: { updatedAt: Date.parse(from.createdAt), root: from.id } }
}

/** The cursor after a run. */
export const cursorAfterRun = ({ updatedAt, rootId, listRank }: ListedRun): string =>
  cursorAfter({ createdAt: toTimestamp(updatedAt), id: rootId, within: String(listRank) })

/** Number of runs in a list. */
export const totalOf = (show: Shown, counts: RunStatusCounts): number =>
  STATUSES[show].reduce((sum, status) => sum + counts[status], 0)
