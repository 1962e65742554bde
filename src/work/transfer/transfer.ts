import type { Config } from '../../config/compose/index.ts'
import type { Actor } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError, invalidField } from '../../core/errors.ts'
import { query, stablePlan, type Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import { assertFits } from '../../http/respond/index.ts'
import { type BeadRepository, type KeepRule, type RestoreOutcome, SIZE_OF_BEADS } from '../beads/index.ts'
import type { ClaimManager } from '../claims/index.ts'
import type { Comments } from '../comments/index.ts'
import type { BulkImported } from './bulk/bulk-importer.ts'
import { ImportWorker } from './bulk/import-worker.ts'
import { formatLine, type Issue, type IssueSource, toIssue } from './lines/issue.ts'
import {
  deletedIds,
  type ImportedLine,
  isSkipped,
  type LineContext,
  type RigOf,
  readLine,
  rigFinder,
} from './lines/line.ts'
import { InvalidLines, Skips } from './lines/skips.ts'
import { allLines, mayHaveDeleted } from './lines/slices.ts'
import { type BeadRecordQuery, type BeadRecords, type BeadsImported, type ImportQuery, MAX_RECORDS } from './schema.ts'

/** Files of less are imported line by line: a thread to import them would take as long to start. */
const MIN_BULK_BYTES = 64 * 1024

/** Number of beads that are read or changed together. */
const BEADS_PER_SLICE = 50
/** Number that are changed in one go: the loop is free in between. */
const BEADS_PER_COMMIT = 4 * BEADS_PER_SLICE
/** About how many characters are read together. */
const CHARACTERS_PER_SLICE = 256 * 1024

const chunk = <Item>(items: readonly Item[], size: number): Item[][] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, at) => items.slice(at * size, (at + 1) * size))

/** Lines as the items of a list. */
function* asList(slices: Iterable<string>): Generator<string, void> {
  let separator = '{"items":['
  for (const lines of slices) {
    yield separator + lines.trimEnd().replaceAll('\n', ',')
    separator = ','
  }
  yield separator === ',' ? ']}' : `${separator}]}`
}

const PAGE = query<{ id: string; rig: string }, [string, number]>(
  stablePlan('SELECT id, rig FROM beads WHERE id > ? ORDER BY id LIMIT ?'),
)

const PRESENT = query<{ id: string; rig: string }, [string]>(
  'SELECT id, rig FROM beads WHERE id IN (SELECT value FROM json_each(?))',
)

const DEPENDENTS = query<{ id: string; n: number }, [string]>(`SELECT depends_on_id AS id, count(*) AS n FROM bead_edges
       WHERE depends_on_id IN (SELECT value FROM json_each(?)) GROUP BY 1`)

const SIZE = query<{ n: number }, [string]>(SIZE_OF_BEADS)

/** Exports the beads of a city as JSON lines, and imports them with their ids, times, labels and dependencies. */
export class BeadTransfer {
  readonly #worker: ImportWorker

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      beads: BeadRepository
      comments: Comments
      claimManager: Pick<ClaimManager, 'holderOf'>
      config: Pick<Config, 'current'>
    },
  ) {
    this.#worker = new ImportWorker(context.deadlines)
  }

  /** One object for each bead, closed ones as well, read in slices: as lines, or as one list. */
  export(form: 'lines' | 'list' = 'lines'): ReadableStream<Uint8Array> {
    const slices = form === 'list' ? asList(this.#slices()) : this.#slices()
    const encoder = new TextEncoder()
    return new ReadableStream({
      pull: (controller) => {
        const { done, value } = slices.next()
        if (done) return controller.close()
        controller.enqueue(encoder.encode(value))
      },
    })
  }

  /**
   * Writes each bead as its line says; one that exists only when the line is as new and takes it from no one, or with
   * `force`. Importing the same lines again changes nothing. A small file is written whole or not at all. Of a large
   * one all new beads are written together; then those that exist are changed some at a time, so that others can write.
   */
  async import(
    caller: Caller,
    bytes: Uint8Array,
    signal: AbortSignal,
    { force = false }: ImportQuery = {},
  ): Promise<BeadsImported> {
    const actor = actorOf(caller)
    if (force && actor.kind !== 'human' && actor.kind !== 'operator') throw forceForbidden()
    const run = new ImportRun(this.#keepRule(force))
    if (bytes.length >= MIN_BULK_BYTES) return this.#importLarge(run, bytes, actor, signal)
    const deleted = this.#deletedOf(bytes)
    const lines = run.read(allLines(bytes), { rigOf: this.#rigOf(), deleted })
    return this.context.store.write((tx) => {
      this.#restore(tx, run, lines)
      this.#release(tx, [...deleted])
      return run.result()
    }, actor)
  }

  /** Beads as `bd` writes them, with their counts; `list` is their ids, separated by commas. */
  records({ ids: list = '' }: BeadRecordQuery): BeadRecords {
    const ids = list.split(',').filter((id) => id !== '')
    if (ids.length > MAX_RECORDS) throw tooManyIds(ids.length)
    const { comments } = this.peers
    const json = JSON.stringify(ids)
    assertFits(this.context.store.get(SIZE, json)?.n ?? 0, 'these beads', 'ask for fewer per request')
    const rigs = new Map(this.context.store.all(PRESENT, json).map(({ id, rig }) => [id, rig]))
    const dependents = new Map(this.context.store.all(DEPENDENTS, json).map(({ id, n }) => [id, n]))
    const { counts } = comments.count(list)
    const issues = new Map(
      this.#sources(rigs).map((source): [string, Issue] => {
        const { id } = source.bead
        const count = { comment_count: counts[id] ?? 0, dependency_count: source.edges.length }
        return [id, { ...toIssue(source), ...count, dependent_count: dependents.get(id) ?? 0 }]
      }),
    )
    return { items: ids.map((id) => issues.get(id)).filter((issue) => issue !== undefined) }
  }

  /** Ends what imports; none is under way. */
  stop(): void {
    this.#worker.stop()
  }

  async #importLarge(run: ImportRun, bytes: Uint8Array, caller: Actor, signal: AbortSignal): Promise<BeadsImported> {
    const { store } = this.context
    const { request: _, ...actor } = caller
    const { rest, deleted, ...imported } = await this.#importInWorker(bytes, actor, signal)
    run.add(imported)
    const context = { rigOf: this.#rigOf(), deleted: new Set(deleted) }
    for (const lines of chunk(rest, BEADS_PER_COMMIT)) {
      signal.throwIfAborted()
      const beads = lines.flatMap(({ text, line }) => run.read([text], context, line))
      const slices = chunk(beads, BEADS_PER_SLICE)
      await Promise.all(slices.map((slice) => store.write((tx) => this.#restore(tx, run, slice), actor)))
    }
    for (const ids of chunk(deleted, BEADS_PER_SLICE)) await store.write((tx) => this.#release(tx, ids), actor)
    return run.result()
  }

  #importInWorker(bytes: Uint8Array, actor: Actor, signal: AbortSignal): Promise<BulkImported> {
    const { store, log, clock } = this.context
    const { beads, config } = this.peers
    return store.writeInWorker({
      run: (onProgress) =>
        this.#worker.run(
          {
            ...{ path: store.path, bytes, actor, now: clock.now(), separateTypes: beads.restorer.types },
            rigs: config.current.rigs.map(({ name, prefix }) => ({ name, prefix })),
          },
          { signal, onProgress },
        ),
      publish: () => log.publishRecorded(),
    })
  }

  /** Writes beads with their comments, all of them or none. */
  #restore(tx: Tx, run: ImportRun, lines: readonly NumberedBead[]): void {
    const { beads, comments } = this.peers
    const outcomes = beads.restorer.restore(
      tx,
      lines.map(({ bead }) => bead),
      run.keep,
    )
    for (const [index, { line, bead }] of lines.entries()) {
      const { id } = bead.values
      const outcome = outcomes[index] ?? 'unchanged'
      const isKept = outcome === 'older' || outcome === 'held'
      const isCommented = !isKept && comments.restore(tx, id, bead.comments)
      run.count(outcome === 'unchanged' && isCommented ? 'updated' : outcome, line, id)
    }
  }

  /** Takes deleted beads that the city does not have out of what others depend on. */
  #release(tx: Tx, deleted: readonly string[]): void {
    const { beads } = this.peers
    for (const id of deleted) {
      for (const dependent of beads.dependentsOf(id)) beads.undepend(tx, dependent.issue_id, [id])
    }
  }

  /** A line replaces a bead that was last changed before it or at the same time, unless it takes it from a session. */
  #keepRule(force: boolean): KeepRule {
    return (row, { status, assignee, updated_at: updated }) => {
      if (force) return undefined
      const reopens = row.status === 'closed' && status !== 'closed'
      if (updated < row.updated_at || (reopens && updated === row.updated_at)) return 'older'
      const takes = status !== 'in_progress' || assignee !== row.assignee
      return takes && this.peers.claimManager.holderOf(row.id) ? 'held' : undefined
    }
  }

  #rigOf(): RigOf {
    return rigFinder(this.peers.config.current.rigs)
  }

  /** The deleted beads of a file that the city does not have. */
  #deletedOf(bytes: Uint8Array): Set<string> {
    const named = new Set(mayHaveDeleted(bytes) ? deletedIds(allLines(bytes)) : [])
    const present = this.context.store.all(PRESENT, JSON.stringify([...named])).map(({ id }) => id)
    return named.difference(new Set(present))
  }

  *#slices(): Generator<string, void> {
    for (let after = ''; ; ) {
      const page = this.context.store.all(PAGE, after, BEADS_PER_SLICE)
      const last = page.at(-1)
      if (!last) return
      after = last.id
      yield* this.#lines(page)
    }
  }

  *#lines(page: readonly { id: string; rig: string }[]): Generator<string, void> {
    const { comments } = this.peers
    const rigs = new Map(page.map(({ id, rig }) => [id, rig]))
    let lines = ''
    for (const source of this.#sources(rigs)) {
      lines += `${formatLine(source, comments.listAll(source.bead.id))}\n`
      if (lines.length < CHARACTERS_PER_SLICE) continue
      yield lines
      lines = ''
    }
    if (lines !== '') yield lines
  }

  /** Beads with what is not on the wire of them, by their id and rig. */
  #sources(rigs: ReadonlyMap<string, string>): IssueSource[] {
    const { beads } = this.peers
    const ids = [...rigs.keys()]
    const edges = Map.groupBy(beads.edgesOf(ids), ({ issue_id }) => issue_id)
    return beads.list(ids).map((bead) => ({ bead, rig: rigs.get(bead.id) ?? '', edges: edges.get(bead.id) ?? [] }))
  }
}

const forceForbidden = (): AppError =>
  new AppError('forbidden', 'forbidden: force replaces what others changed, which is for people; import without it')

const tooManyIds = (count: number): AppError =>
  invalidField('query.ids', `ids names ${count} beads: at most ${MAX_RECORDS} per request`)

/** A bead that was read, with the number of its line. */
interface NumberedBead {
  readonly line: number
  readonly bead: ImportedLine
}

/** One import while it runs: reads its lines, and counts the outcome of each. */
class ImportRun {
  readonly #skips = new Skips()
  readonly #counts = { created: 0, updated: 0, unchanged: 0 }

  /** `keep` decides which beads that exist are left as they are. */
  constructor(readonly keep: KeepRule) {}

  /** Reads the beads of some lines, the first of which has this number; throws when a line is invalid, naming all that are. */
  read(texts: Iterable<string>, context: LineContext, first = 1): NumberedBead[] {
    const invalid = new InvalidLines()
    const beads: NumberedBead[] = []
    let line = first - 1
    for (const text of texts) {
      line++
      if (text.trim() === '') continue
      const read = invalid.try(() => readLine(text, line, context))
      if (!read) continue
      if (isSkipped(read)) this.#skips.add(read)
      else beads.push({ line, bead: read })
    }
    invalid.check()
    return beads
  }

  count(outcome: RestoreOutcome, line: number, id: string): void {
    if (outcome === 'older' || outcome === 'held') this.#skips.add({ line, kind: outcome, id })
    else this.#counts[outcome]++
  }

  /** Adds what was written of a large file immediately. */
  add({ created, unchanged, skipped }: Pick<BulkImported, 'created' | 'unchanged' | 'skipped'>): void {
    this.#counts.created += created
    this.#counts.unchanged += unchanged
    this.#skips.merge(skipped)
  }

  result(): BeadsImported {
    const { counts, lines } = this.#skips.toJSON()
    return { ...this.#counts, skipped: this.#skips.total, skips: counts, skipped_lines: lines }
  }
}
