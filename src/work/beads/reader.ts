import { toTimestamp } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { RecentValues } from '../../core/recent-values.ts'
import { query, type Store, stablePlan } from '../../core/store/index.ts'
import { WorkKey } from '../metadata.ts'
import type { Bead, Dep } from '../schema.ts'
import type { MetadataProjection } from './extensions.ts'
import { BeadJsonCache, type BeadVersion, type RenderedBead } from './json-cache.ts'
import { BeadJsonRuns } from './json-runs.ts'
import { isGating } from './readiness.ts'
import {
  type BeadRow,
  fromStored,
  OUTPUT_SIZE,
  PLAIN_COLUMNS,
  type PlainRow,
  ROW_COLUMNS,
  type StoredBead,
} from './row.ts'

/** Size in bytes of the texts of some beads. */
export const SIZE_OF_BEADS = `
  SELECT coalesce(sum(octet_length(title) + octet_length(description) + octet_length(metadata)
    + coalesce(${OUTPUT_SIZE}, 0)), 0) AS n
  FROM beads WHERE id IN (SELECT value FROM json_each(?))`

const DEPENDENCIES_SQL = 'SELECT issue_id, depends_on_id, type FROM bead_edges WHERE issue_id'

const PLAIN = query<PlainRow, [string]>(`SELECT ${PLAIN_COLUMNS} FROM beads WHERE id = ?`)

const BY_ID = query<BeadRow, [string]>(`SELECT ${ROW_COLUMNS} FROM beads WHERE id = ?`)

const BY_IDS = query<BeadRow, [string]>(
  `SELECT ${ROW_COLUMNS} FROM beads WHERE id IN (SELECT value FROM json_each(?)) ORDER BY created_at, id`,
)

const SIZE = query<{ n: number }, [string]>(SIZE_OF_BEADS)

const BY_NUMBERS = query<BeadRow, [string]>(
  `SELECT ${ROW_COLUMNS} FROM beads WHERE n IN (SELECT value FROM json_each(?))`,
)

const VERSION = query<BeadVersion, [string]>('SELECT n, revision FROM beads WHERE id = ?')

const DEPENDENCIES = query<Dep, [string]>(stablePlan(`${DEPENDENCIES_SQL} = ?`))

const DEPENDENCIES_OF_MANY = query<Dep, [string]>(`${DEPENDENCIES_SQL} IN (SELECT value FROM json_each(?))`)

/** Maximum ids in each of the two generations of beads that were read one by one. */
const READ_LATELY = 8_192

/** Reads beads: their rows, with the dependencies and projected metadata of all of them fetched immediately. */
export class BeadReader {
  readonly #projections = new Map<string, MetadataProjection>()
  readonly #cache = new BeadJsonCache((numbers) => this.#render(numbers))
  readonly #readLately = new RecentValues<string, true>(READ_LATELY, () => 1)
  /** Lists of beads as JSON. */
  readonly jsonRuns = new BeadJsonRuns(this.#cache)

  constructor(private readonly store: Store) {}

  registerProjection(type: string, projection: MetadataProjection): void {
    this.#projections.set(type, projection)
  }

  row(id: string): PlainRow | undefined {
    return this.store.get(PLAIN, id) ?? undefined
  }

  /** Throws `bead-not-found` when there is none. */
  getRow(id: string): PlainRow {
    return this.row(id) ?? throwNotFound(id)
  }

  /** With the output; throws `bead-not-found` when there is none. */
  getWholeRow(id: string): BeadRow {
    return this.store.get(BY_ID, id) ?? throwNotFound(id)
  }

  find(id: string): Bead | undefined {
    const row = id === '' ? null : this.store.get(BY_ID, id)
    return row ? this.bead(row) : undefined
  }

  get(id: string): Bead {
    return this.bead(this.getWholeRow(id))
  }

  /** A bead with its row; throws `bead-not-found` when there is none. */
  load(id: string): StoredBead {
    const row = this.getWholeRow(id)
    return { row, bead: this.bead(row) }
  }

  /** Size in bytes of the texts of these beads. */
  sizeOf(ids: readonly string[]): number {
    return this.store.get(SIZE, JSON.stringify(ids))?.n ?? 0
  }

  /** Those of `ids` that exist, oldest first. */
  list(ids: readonly string[]): Bead[] {
    return ids.length === 0 ? [] : this.beads(this.store.all(BY_IDS, JSON.stringify(ids)))
  }

  bead(row: BeadRow): Bead {
    const dependencies = row.edges === 0 ? undefined : this.store.all(DEPENDENCIES, row.id)
    return toBead(row, dependencies, this.#projections.get(row.type)?.([row.id]).get(row.id))
  }

  beads(rows: BeadRow[]): Bead[] {
    const dependencies = this.#dependenciesByBead(rows)
    const projected = this.#projectedMetadata(rows)
    return rows.map((row) => toBead(row, dependencies?.get(row.id), projected?.get(row.id)))
  }

  /** A bead as JSON; throws `bead-not-found` when there is none. */
  json(id: string): string {
    const render = () => {
      const row = this.getWholeRow(id)
      return this.#rendered(row, this.bead(row))
    }
    if (this.#isUnread(id)) return this.#cache.keep(render())
    const version = this.store.get(VERSION, id)
    return version ? this.#cache.get(version, render) : throwNotFound(id)
  }

  /** True if this bead was not read lately: its JSON is not kept then, and its version need not be read first. */
  #isUnread(id: string): boolean {
    const isUnread = this.#readLately.get(id) === undefined
    if (isUnread) this.#readLately.set(id, true)
    return isUnread
  }

  #render(numbers: number[]): RenderedBead[] {
    const rows = this.store.all(BY_NUMBERS, JSON.stringify(numbers))
    const beads = this.beads(rows)
    return rows.flatMap((row, index) => {
      const bead = beads[index]
      return bead ? this.#rendered(row, bead) : []
    })
  }

  #rendered({ n, revision, type }: BeadRow, bead: Bead): RenderedBead {
    return { n, revision, json: JSON.stringify(bead), isCacheable: !this.#projections.has(type) }
  }

  #dependenciesByBead(rows: BeadRow[]): Map<string, Dep[]> | undefined {
    const ids = rows.filter((row) => row.edges > 0).map((row) => row.id)
    if (ids.length === 0) return undefined
    return Map.groupBy(this.store.all(DEPENDENCIES_OF_MANY, JSON.stringify(ids)), ({ issue_id }) => issue_id)
  }

  #projectedMetadata(rows: BeadRow[]): Map<string, Record<string, string>> | undefined {
    let projected: Map<string, Record<string, string>> | undefined
    for (const [type, projection] of this.#projections) {
      const ids = rows.filter((row) => row.type === type).map((row) => row.id)
      if (ids.length === 0) continue
      const ofType = projection(ids)
      projected = projected ? new Map([...projected, ...ofType]) : ofType
    }
    return projected
  }
}

function throwNotFound(id: string): never {
  throw new AppError('bead-not-found', `bead ${id} does not exist`)
}

/** Fields that a row stores as JSON. */
export interface BeadTexts {
  readonly labels: string[]
  readonly metadata: Readonly<Record<string, string>>
}

/** Keys are in one order, so that two snapshots of a bead can be compared as text. */
export function toBead(
  row: BeadRow,
  dependencies?: Dep[],
  projected?: Readonly<Record<string, string>>,
  parsed?: BeadTexts,
): Bead {
  const created = toTimestamp(row.created_at)
  const bead: Bead = {
    id: row.id,
    title: row.title,
    status: row.status,
    issue_type: row.type,
    created_at: created,
    updated_at: row.updated_at === row.created_at ? created : toTimestamp(row.updated_at),
  }
  if (row.priority !== null) bead.priority = row.priority
  if (row.assignee !== '') bead.assignee = row.assignee
  if (row.sender !== '') bead.from = row.sender
  if (row.parent !== null) bead.parent = row.parent
  if (row.ref !== '') bead.ref = row.ref
  if (row.description !== '') bead.description = row.description
  if (row.labels !== '[]') bead.labels = parsed ? parsed.labels : JSON.parse(row.labels)
  if (row.metadata !== '{}') bead.metadata = parsed ? parsed.metadata : fromStored(row)
  if (row.closed_at !== null && row.closed_at !== row.updated_at) {
    bead.metadata = { ...bead.metadata, [WorkKey.closedAt]: toTimestamp(row.closed_at) }
  }
  if (projected) bead.metadata = { ...bead.metadata, ...projected }
  if (dependencies) bead.dependencies = dependencies
  if (row.ephemeral === 1) bead.ephemeral = true
  if (row.no_history === 1) bead.no_history = true
  if (row.defer_until !== null) bead.defer_until = toTimestamp(row.defer_until)
  if (row.blockers > 0) bead.is_blocked = true
  if (row.blockers === 0 && dependencies?.some((edge) => isGating(edge.type))) bead.is_blocked = false
  return bead
}
