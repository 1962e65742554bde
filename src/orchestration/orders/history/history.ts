import type { CityConfig } from '../../../config/city/index.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import { query, type Store, stablePlan } from '../../../core/store/index.ts'
import { compareText } from '../../../core/text/index.ts'
import { cursorAfter, fillPage, parseBoundaryCursor } from '../../../http/respond/index.ts'
import type { Bead, BeadReader } from '../../../work/beads/index.ts'
import { OrderKey, WorkKey } from '../../../work/metadata.ts'
import { type MonitorFeedItemResponse, requireScope } from '../../formulas/index.ts'
import { type RunRepository, toFeedItem as toRunFeedItem } from '../../runs/index.ts'
import { RUN_LABEL, TRACKING_LABEL } from '../dispatch/labels.ts'
import type { OrderRuns } from '../dispatch/order-runs.ts'
import type { OrderLibrary } from '../order-library.ts'
import type {
  OrderHistoryDetailQuery,
  OrderHistoryDetailResponse,
  OrderHistoryEntry,
  OrderHistoryListBody,
  OrderHistoryQuery,
  OrderRunsPage,
  OrderRunsQuery,
  OrdersFeedBody,
  OrdersFeedQuery,
} from '../schema.ts'
import { joined, storeRefOf } from '../view.ts'

const [DEFAULT_PAGE, MAX_PAGE] = [20, 500]
const [DEFAULT_FEED, MAX_FEED] = [50, 500]
const RFC_3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i

/**
 * The runs of orders as clients look back on them: those of gc, and those that another program recorded as a bead with
 * the label of a run.
 */
export class OrderHistory {
  readonly #repository: OrderHistoryRepository
  readonly #labelled: LabelledBeads

  constructor(
    context: CityContext,
    private readonly peers: {
      readonly config: { readonly current: CityConfig }
      readonly beadReader: BeadReader
      readonly runRepository: RunRepository
      readonly orderLibrary: OrderLibrary
      readonly orderRuns: OrderRuns
    },
  ) {
    this.#repository = new OrderHistoryRepository(context.store)
    this.#labelled = new LabelledBeads(context.store)
  }

  /** The runs of an order before a time, the latest first, with all of the millisecond that the last one began in. */
  list({ scoped_name, before, limit }: OrderHistoryQuery): OrderHistoryListBody {
    const runs = this.#page(scoped_name, { createdAt: momentOf(before), id: '' }, pageSize(limit))
    const last = runs.at(-1)
    const alike = last ? this.#besides(scoped_name, last) : []
    const listed = [...runs, ...alike]
    return { entries: listed.map(this.#entryOf(listed)) }
  }

  /** The runs of one order or of all, the latest first, from a cursor on. */
  page({ scoped_name, limit, cursor }: OrderRunsQuery): OrderRunsPage {
    const size = pageSize(limit)
    const runs = this.#page(scoped_name, boundaryOf(cursor), size + 1)
    const { items: entries, last } = fillPage(runs, size, this.#entryOf(runs))
    return {
      entries,
      ...(last && { next_cursor: cursorAfter({ createdAt: toTimestamp(last.createdAt), id: last.id }) }),
    }
  }

  /** One run as lists show it. */
  entry(id: string): OrderHistoryEntry {
    const { beadReader, config } = this.peers
    const bead = beadReader.find(id)
    const run = this.#repository.find(id) ?? (bead && this.#labelledRun(bead))
    if (!run) throw new AppError('bead-not-found', `no run of an order has the bead ${id}`)
    return toHistoryEntry(run, bead?.labels, config.current.name)
  }

  /** A run with what it printed, by its tracking bead or by the root of what its formula made. */
  detail(id: string, { store_ref }: OrderHistoryDetailQuery): OrderHistoryDetailResponse {
    this.#requireStore(store_ref)
    const { beadReader, config } = this.peers
    const bead = beadReader.find(id)
    const run = this.peers.orderRuns.find(id)
    if (!bead?.labels?.some((label) => label.startsWith(RUN_LABEL)) && !run) {
      throw new AppError('bead-not-found', `no run of an order has the bead ${id}`)
    }
    const rig = run?.rig ?? beadReader.row(id)?.rig
    const output = run ? this.peers.orderRuns.output(id) : outputOf(bead)
    return {
      ...{ bead_id: id, store_ref: storeRefOf(rig, config.current.name) },
      created_at: run ? toTimestamp(run.createdAt) : (bead?.created_at ?? ''),
      labels: bead?.labels ?? [],
      output: output ? joined(output) : '',
    }
  }

  /** Runs of orders and of formulas: those that continue first, then those that failed, then the others. */
  feed(query: OrdersFeedQuery): OrdersFeedBody {
    const { config, runRepository } = this.peers
    const { name: city } = config.current
    const scope = requireScope(config.current, query)
    const rig = scope.kind === 'rig' ? scope.ref : undefined
    const limit = Math.min(query.limit || DEFAULT_FEED, MAX_FEED)
    const orders = this.#repository.feed(rig, limit).map((run) => ({
      ...{ rank: run.feedRank, item: toFeedItem(run, this.#targetOf(run), city) },
    }))
    const runs = runRepository.feed(rig === undefined ? undefined : scope, limit).map((run) => ({
      ...{ rank: run.feedRank ?? 0, item: toRunFeedItem(run, city) },
    }))
    const items = [...orders, ...runs].sort(asFed).slice(0, limit)
    return { items: items.map(({ item }) => item), partial: false }
  }

  /** The runs behind a boundary. Of the labelled beads only those are read that stand on the same page. */
  #page(scopedName: string | undefined, boundary: RunBoundary, limit: number): PastRun[] {
    const runs = this.#repository.page(scopedName, boundary, limit)
    const oldest = runs.length < limit ? Number.MIN_SAFE_INTEGER : (runs.at(-1)?.createdAt ?? 0)
    return this.#withLabelled(runs, this.#labelled.page(scopedName, boundary, oldest, limit)).slice(0, limit)
  }

  /** Runs that began in the same millisecond as one, and stand behind it. */
  #besides(scopedName: string, last: RunBoundary): PastRun[] {
    const labelled = this.#labelled.page(scopedName, last, last.createdAt, Number.MAX_SAFE_INTEGER)
    return this.#withLabelled(this.#repository.besides(scopedName, last), labelled)
  }

  #withLabelled(runs: readonly PastRun[], labelled: readonly LabelledBead[]): PastRun[] {
    if (labelled.length === 0) return [...runs]
    const ids = labelled.map(({ id }) => id)
    const beads = new Map(this.peers.beadReader.list(ids).map((bead) => [bead.id, bead]))
    const recorded = labelled.flatMap(({ id, label, createdAt }) => {
      const bead = beads.get(id)
      const run = bead && this.#labelledRun(bead, label)
      return run ? { ...run, createdAt } : []
    })
    return [...runs, ...recorded].sort(newestFirst)
  }

  /** The run that a bead has the label of; undefined when it has none. */
  #labelledRun(bead: Bead, label = bead.labels?.find((each) => each.startsWith(RUN_LABEL))): PastRun | undefined {
    if (label === undefined) return undefined
    const scopedName = label.slice(RUN_LABEL.length)
    const kind = this.peers.orderLibrary.find(scopedName)?.action.kind ?? kindOf(bead)
    return toPastRun(bead, { scopedName, kind, beadRig: this.peers.beadReader.row(bead.id)?.rig ?? '' })
  }

  /** Shows any of these runs, with the labels of its bead. */
  #entryOf(runs: readonly PastRun[]): (run: PastRun) => OrderHistoryEntry {
    const { beadReader, config } = this.peers
    const labels = new Map(beadReader.list(runs.map(({ id }) => id)).map((bead) => [bead.id, bead.labels]))
    return (run) => toHistoryEntry(run, labels.get(run.id), config.current.name)
  }

  #targetOf({ scopedName }: ListedRun): string {
    const action = this.peers.orderLibrary.find(scopedName)?.action
    return (action?.kind === 'formula' && action.pool) || 'gc'
  }

  #requireStore(storeRef: string | undefined): void {
    const { name, rigs } = this.peers.config.current
    const known = [`city:${name}`, ...rigs.map((rig) => `rig:${rig.name}`)]
    if (storeRef === undefined || known.includes(storeRef)) return
    throw new AppError('scope-not-found', `store_ref does not resolve to a known scope: it can be ${known.join(', ')}`)
  }
}

interface Fed {
  readonly rank: number
  readonly item: MonitorFeedItemResponse
}

/** Formulas stand before commands of the same rank, what changed last before the rest. */
const asFed = (a: Fed, b: Fed): number =>
  a.rank - b.rank ||
  compareText(b.item.type, a.item.type) ||
  compareText(b.item.updated_at, a.item.updated_at) ||
  compareText(a.item.title, b.item.title)

const pageSize = (limit: number | undefined): number => Math.min(limit || DEFAULT_PAGE, MAX_PAGE)

function boundaryOf(cursor: string | undefined): RunBoundary {
  const { createdAt, id = '' } = parseBoundaryCursor(cursor) ?? {}
  return { createdAt: createdAt === undefined ? Number.MAX_SAFE_INTEGER : Date.parse(createdAt), id }
}

function momentOf(before: string | undefined): number {
  if (before === undefined) return Number.MAX_SAFE_INTEGER
  const moment = RFC_3339.test(before) ? Date.parse(before) : Number.NaN
  if (!Number.isNaN(moment)) return moment
  throw new AppError('invalid-request', `invalid before timestamp: must be RFC3339, got "${before}"`)
}

/** A run as histories show it, with the labels of its bead. */
function toHistoryEntry(run: PastRun, labels: string[] | undefined, city: string): OrderHistoryEntry {
  const { id, scopedName, rig, kind, exitCode, signal, error, rootId } = run
  const duration = run.endedAt === null ? undefined : Math.max(0, run.endedAt - (run.startedAt ?? run.createdAt))
  return {
    ...{ bead_id: id, store_ref: storeRefOf(run.beadRig ?? rig, city), name: nameOf(run), scoped_name: scopedName },
    created_at: toTimestamp(run.createdAt),
    labels: labels ?? [`${RUN_LABEL}${scopedName}`, TRACKING_LABEL],
    ...{ capture_output: kind === 'exec', has_output: run.hasOutput === 1 },
    ...(rig !== '' && { rig }),
    ...(duration !== undefined && { duration_ms: String(duration) }),
    ...(exitCode !== null && { exit_code: String(exitCode) }),
    ...(signal !== null && { signal }),
    ...(error !== null && { error }),
    ...(rootId !== null && { wisp_root_id: rootId }),
  }
}

/** A run as feeds show it; `target` is who works on it. */
function toFeedItem(run: ListedRun, target: string, city: string): MonitorFeedItemResponse {
  const { id, scopedName, rig, kind, createdAt } = run
  const storeRef = storeRefOf(rig, city)
  return {
    ...{ id: `order:${storeRef}:${id}`, type: kind, status: statusOf(run), title: scopedName },
    ...{ scope_kind: rig === '' ? 'city' : 'rig', scope_ref: rig || city, target },
    ...{ started_at: toTimestamp(createdAt), updated_at: toTimestamp(run.endedAt ?? createdAt) },
    ...{ bead_id: id, store_ref: storeRef, detail_available: kind === 'exec' },
  }
}

const statusOf = ({ state, outcome }: ListedRun): string => {
  if (state !== 'done') return 'active'
  return outcome === 'success' ? 'done' : 'failed'
}

const nameOf = ({ scopedName, rig }: PastRun): string =>
  rig === '' ? scopedName : scopedName.slice(0, -`:rig:${rig}`.length)

const newestFirst = (a: RunBoundary, b: RunBoundary): number => b.createdAt - a.createdAt || compareText(b.id, a.id)

/** Output of a command, as stored in its bead. */
const outputOf = (bead: Bead | undefined): { stdout: string; stderr: string } => ({
  ...{ stdout: bead?.metadata?.[OrderKey.stdout] ?? '', stderr: bead?.metadata?.[OrderKey.stderr] ?? '' },
})

const kindOf = ({ labels, metadata }: Bead): PastRun['kind'] =>
  metadata?.[OrderKey.exitCode] || labels?.some((label) => label.startsWith('exec')) ? 'exec' : 'formula'

/** A bead with the label of a run as a run: it ended when the bead was closed, unless it says how long it took. */
function toPastRun(
  bead: Bead,
  { scopedName, kind, beadRig }: Pick<PastRun, 'scopedName' | 'kind'> & { beadRig: string },
): PastRun {
  const [, rig = ''] = scopedName.split(':rig:')
  const createdAt = Date.parse(bead.created_at)
  const { stdout, stderr } = outputOf(bead)
  const duration = integerOf(bead.metadata?.[OrderKey.durationMs])
  const closedAt = Date.parse(bead.metadata?.[WorkKey.closedAt] ?? bead.updated_at ?? '')
  const isOver = bead.status === 'closed' && !Number.isNaN(closedAt)
  return {
    ...{ id: bead.id, scopedName, rig, beadRig, kind, createdAt, startedAt: null },
    endedAt: duration === null ? (isOver ? closedAt : null) : createdAt + duration,
    exitCode: integerOf(bead.metadata?.[OrderKey.exitCode]),
    ...{ signal: null, error: null, rootId: null, hasOutput: stdout === '' && stderr === '' ? 0 : 1 },
  }
}

const integerOf = (text: string | undefined): number | null => (text && /^-?\d{1,15}$/.test(text) ? Number(text) : null)

/** A run of an order as histories show it. Times are milliseconds since 1970. */
interface PastRun {
  readonly id: string
  readonly scopedName: string
  readonly rig: string
  /** The rig of its bead, where that can be another. */
  readonly beadRig?: string
  readonly kind: 'exec' | 'formula'
  readonly createdAt: number
  readonly startedAt: number | null
  readonly endedAt: number | null
  readonly exitCode: number | null
  readonly signal: string | null
  readonly error: string | null
  readonly hasOutput: number
  readonly rootId: string | null
}

/** A run of gc itself. */
interface ListedRun extends PastRun {
  readonly state: 'starting' | 'running' | 'done'
  readonly outcome: 'success' | 'failed' | 'canceled' | null
  readonly feedRank: number
}

const COLUMNS = `tracking_id AS id, scoped_name AS scopedName, rig, kind, state, outcome, created_at AS createdAt,
  started_at AS startedAt, ended_at AS endedAt, exit_code AS exitCode, signal, error, has_output AS hasOutput,
  root_id AS rootId, feed_rank AS feedRank`
const NEWEST_FIRST = 'ORDER BY created_at DESC, tracking_id DESC'
const BEFORE = '(created_at, tracking_id) < (?, ?)'
const AS_FED = 'ORDER BY feed_rank, kind DESC, updated_at DESC, tracking_id LIMIT ?'

/** Start of a page of runs: after the run with that id, or before that moment. */
type RunBoundary = Pick<PastRun, 'createdAt' | 'id'>

const runsWhere = <Parameters extends (string | number)[]>(rest: string) =>
  query<ListedRun, Parameters>(stablePlan(`SELECT ${COLUMNS} FROM order_runs ${rest}`))

const RUN_BY_ID = runsWhere<[string]>('WHERE tracking_id = ?')
const RUNS_OF_ORDER = runsWhere<[string, number, string, number]>(
  `WHERE scoped_name = ? AND ${BEFORE} ${NEWEST_FIRST} LIMIT ?`,
)
const ALL_RUNS = runsWhere<[number, string, number]>(`WHERE ${BEFORE} ${NEWEST_FIRST} LIMIT ?`)
const RUNS_BESIDES = runsWhere<[string, number, string]>(
  `WHERE scoped_name = ? AND created_at = ? AND tracking_id < ? ${NEWEST_FIRST}`,
)
const FED_RUNS = runsWhere<[number]>(`WHERE root_id IS NULL ${AS_FED}`)
const FED_RUNS_OF_RIG = runsWhere<[string, number]>(`WHERE root_id IS NULL AND rig != '' AND rig = ? ${AS_FED}`)

/** Reads runs of orders page by page, each page by an index. */
class OrderHistoryRepository {
  constructor(private readonly store: Store) {}

  find(id: string): ListedRun | undefined {
    return this.store.get(RUN_BY_ID, id) ?? undefined
  }

  /** Runs behind a boundary, the latest first; those of every order when none is named. */
  page(scopedName: string | undefined, { createdAt, id }: RunBoundary, limit: number): ListedRun[] {
    if (scopedName === undefined) return this.store.all(ALL_RUNS, createdAt, id, limit)
    return this.store.all(RUNS_OF_ORDER, scopedName, createdAt, id, limit)
  }

  /** Runs of an order that began in the same millisecond as one, and stand behind it. */
  besides(scopedName: string, { createdAt, id }: RunBoundary): ListedRun[] {
    return this.store.all(RUNS_BESIDES, scopedName, createdAt, id)
  }

  /** Runs that made nothing that feeds show itself, in the order of feeds; those of every rig when none is named. */
  feed(rig: string | undefined, limit: number): ListedRun[] {
    return rig === undefined ? this.store.all(FED_RUNS, limit) : this.store.all(FED_RUNS_OF_RIG, rig, limit)
  }
}

interface LabelledBead {
  readonly id: string
  readonly label: string
  readonly createdAt: number
}

/** The beads of gc's own runs are in their rows already, or will be once their graph is whole. */
const UNRECORDED = `NOT EXISTS (SELECT 1 FROM order_runs r WHERE r.tracking_id = l.id)
  AND NOT EXISTS (SELECT 1 FROM order_runs r WHERE r.root_id = l.id AND r.root_id IS NOT NULL)
  AND NOT EXISTS (SELECT 1 FROM instantiations i WHERE i.root_id = l.id)`
const IN_WINDOW = 'created_at >= ? AND (created_at, id) < (?, ?)'

const LABELLED_OF_ORDER = query<LabelledBead, [string, number, number, number, string, number]>(
  stablePlan(`SELECT id, label, created_at AS createdAt FROM bead_labels l
        WHERE label = ? AND closed = ? AND ${IN_WINDOW} AND ${UNRECORDED} ORDER BY created_at DESC, id DESC LIMIT ?`),
)

const ALL_LABELLED = query<LabelledBead, [number, number, string, number]>(
  stablePlan(`SELECT id, min(label) AS label, created_at AS createdAt FROM bead_labels l
        WHERE label >= 'order-run:' AND label < 'order-run;' AND ${IN_WINDOW} AND ${UNRECORDED}
        GROUP BY created_at, id ORDER BY created_at DESC, id DESC LIMIT ?`),
)

/**
 * Beads that have the label of a run and belong to no run of gc, as an import or another program leaves them. A page
 * reads what was created in its own span of time.
 */
class LabelledBeads {
  constructor(private readonly store: Store) {}

  /** Those behind a boundary and not older than a moment, the latest first; those of every order when none is named. */
  page(scopedName: string | undefined, { createdAt, id }: RunBoundary, oldest: number, limit: number): LabelledBead[] {
    if (scopedName === undefined) return this.store.all(ALL_LABELLED, oldest, createdAt, id, limit)
    const found = [0, 1].flatMap((flag) =>
      this.store.all(LABELLED_OF_ORDER, `${RUN_LABEL}${scopedName}`, flag, oldest, createdAt, id, limit),
    )
    return found.sort(newestFirst).slice(0, limit)
  }
}
