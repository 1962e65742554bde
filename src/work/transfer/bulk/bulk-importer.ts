import type { Database, Statement } from 'bun:sqlite'
import type { Actor } from '../../../core/actor.ts'
import type { EventAttributes, EventDefinition, PayloadOf } from '../../../core/events/index.ts'
import { EVENT_COLUMNS, type EventValues, toDraft, toValues } from '../../../core/events/index.ts'
import { stablePlan } from '../../../core/store/index.ts'
import type { Bead, Dep } from '../../beads/index.ts'
import {
  asPresent,
  type BeadRow,
  type BeadValues,
  type EdgeRecord,
  edgeKey,
  eventFactsOf,
  eventPayloadOf,
  NO_FACTS,
  noteNumber,
  notImportable,
  RECORDS,
  RESERVE,
  ROW_COLUMNS,
  toBead,
  VALUE_COLUMNS,
  valuesOf,
} from '../../beads/index.ts'
import type { BeadComment } from '../../comments/index.ts'
import { type CommentDraft, firstNumber, toComment } from '../../comments/index.ts'
import { BeadCommented, BeadCreated } from '../../events.ts'
import { deletedIds, type ImportedLine, isSkipped, type LineContext, type RigOf, readLine } from '../lines/line.ts'
import { InvalidLines, type SkippedLines, Skips } from '../lines/skips.ts'
import { allLines, mayHaveDeleted, sliceLines } from '../lines/slices.ts'
import { ImportedEdges } from './edges.ts'
import { RowBatch } from './row-batch.ts'

/** Triggers whose work for each new row is done here for all of them. */
const SUSPENDED = [
  'beads_added',
  'beads_added_closed',
  'bead_labels_gained',
  'bead_assignee_gained',
  'beads_to_word',
  'bead_edges_added',
]

export interface BulkImportOptions {
  readonly rigOf: RigOf
  readonly actor: Actor
  /** Time of the recorded events, in milliseconds. */
  readonly now: number
  /** Types of which a part is held in a table of its own. */
  readonly separateTypes: ReadonlySet<string>
  /** Called between slices; throws to give up. */
  onSlice(): void
}

/** A line of a file, with its number. */
export interface NumberedLine {
  readonly line: number
  readonly text: string
}

export interface BulkImported {
  created: number
  unchanged: number
  skipped: SkippedLines
  /** Deleted beads of the file that the city does not have. */
  deleted: string[]
  /** Lines that change beads or whose beads are held in more than one table, for anyone who knows how. */
  rest: NumberedLine[]
}

/** A new bead with what is determined about it before it is written. */
interface NewBead {
  readonly line: ImportedLine
  readonly edges: Dep[]
  readonly blockers: number
}

type BeadRowValues = (string | number | null)[]

/** Writes all new beads of a file in the transaction that is under way, with what follows from them set by set. */
export class BulkImporter {
  readonly #existing: ExistingBeads
  readonly #edges: ImportedEdges
  readonly #labels: ImportedLabels
  readonly #comments: ImportedComments
  readonly #totals = new ImportTotals()
  readonly #beads: RowBatch<BeadRowValues>
  readonly #insertOutput: Statement<unknown, [number, string]>
  readonly #events: RowBatch<EventValues>
  /** The highest number of each prefix. */
  readonly #numbers = new Map<string, number>()
  readonly #restoreTriggers: () => void
  readonly #result: Pick<BulkImported, 'created' | 'unchanged' | 'rest'> = { created: 0, unchanged: 0, rest: [] }
  readonly #skips = new Skips()
  readonly #invalid = new InvalidLines()
  #first = 0
  #last = 0

  constructor(
    private readonly db: Database,
    private readonly options: BulkImportOptions,
  ) {
    this.#restoreTriggers = suspendTriggers(db, SUSPENDED)
    this.#existing = new ExistingBeads(db)
    this.#edges = new ImportedEdges(db)
    this.#labels = new ImportedLabels(db)
    this.#comments = new ImportedComments(db)
    this.#beads = new RowBatch(db, {
      into: 'beads',
      columns: [...VALUE_COLUMNS, 'edges', 'blockers'],
      computed: { revision: 'random() & 0xffffff' },
    })
    this.#insertOutput = db.prepare('INSERT INTO bead_outputs (n, output) VALUES (?, ?)')
    this.#events = new RowBatch(db, { into: 'events', columns: EVENT_COLUMNS })
  }

  run(bytes: Uint8Array): BulkImported {
    const { rigOf, onSlice } = this.options
    const named = new Set(mayHaveDeleted(bytes) ? deletedIds(allLines(bytes)) : [])
    const deleted = named.difference(this.#existing.among([...named]))
    let lineNumber = 1
    for (const lines of sliceLines(bytes)) {
      this.#writeSlice(lines, lineNumber, { rigOf, deleted })
      lineNumber += lines.length
      onSlice()
    }
    this.#invalid.check()
    this.#finish()
    return { ...this.#result, skipped: this.#skips.toJSON(), deleted: [...deleted] }
  }

  #writeSlice(texts: readonly string[], lineNumber: number, context: LineContext): void {
    const parsed = texts.flatMap((text, index) => {
      const line = text.trim() === '' ? undefined : this.#read(text, lineNumber + index, context)
      return line ? [{ text, number: lineNumber + index, line }] : []
    })
    if (this.#invalid.any) return
    const present = this.#existing.among(parsed.map(({ line }) => line.values.id))
    const added: NewBead[] = []
    for (const { text, number, line } of parsed) {
      const { id, type } = line.values
      if (present.has(id)) this.#compare({ text, line: number }, line)
      else if (this.options.separateTypes.has(type)) this.#result.rest.push({ text, line: number })
      else added.push(this.#add(line, present))
    }
    this.#write(added)
  }

  /** The bead of a line; undefined for one that is skipped or invalid. */
  #read(text: string, lineNumber: number, context: LineContext): ImportedLine | undefined {
    const line = this.#invalid.try(() => readLine(text, lineNumber, context))
    if (!line || !isSkipped(line)) return line
    this.#skips.add(line)
    return undefined
  }

  /** A bead that comes twice in a slice is not in the database yet: its second line is left to be compared later. */
  #compare(numbered: NumberedLine, line: ImportedLine): void {
    if (this.#existing.isUnchanged(line)) this.#result.unchanged++
    else this.#result.rest.push(numbered)
  }

  #add(line: ImportedLine, present: Set<string>): NewBead {
    const { values, labels } = line
    const { edges, blockers } = this.#edges.add(line)
    present.add(values.id)
    noteNumber(this.#numbers, values.id)
    this.#totals.add(values, labels, blockers)
    return { line, edges, blockers }
  }

  #write(added: readonly NewBead[]): void {
    if (added.length === 0) return
    const last = this.#beads.insert(added.map(toRow))
    const first = last - added.length + 1
    this.#first ||= first
    this.#last = last
    this.#result.created += added.length
    const created: EventValues[] = []
    const commented: EventValues[] = []
    for (const [index, { line, edges, blockers }] of added.entries()) {
      const { values, labels, comments } = line
      const n = first + index
      if (values.output !== null) this.#insertOutput.run(n, values.output)
      for (const label of labels)
        this.#labels.add([label, values.status === 'closed' ? 1 : 0, values.created_at, values.id])
      const bead = toBead(
        { ...values, n, blockers, edges: edges.length, revision: 0 },
        edges.length > 0 ? edges : undefined,
        undefined,
        line,
      )
      const facts = eventFactsOf(bead)
      created.push(this.#event(BeadCreated, facts, eventPayloadOf(bead)))
      if (comments.length > 0) commented.push(...this.#writeComments(bead, n, line, facts))
    }
    this.#events.insert(created)
    this.#events.insert(commented)
  }

  #writeComments(bead: Bead, n: number, { comments }: ImportedLine, facts: EventAttributes): EventValues[] {
    const { session_id: _, ...others } = facts
    return this.#comments.write(bead.id, n, comments).map((comment) => this.#event(BeadCommented, others, { comment }))
  }

  #event<D extends EventDefinition>(definition: D, facts: EventAttributes, payload: PayloadOf<D>): EventValues {
    const { actor, now } = this.options
    return toValues(toDraft(definition.type, now, actor, facts, payload, false))
  }

  /** Common effects of all new beads. */
  #finish(): void {
    const reserve = this.db.prepare(RESERVE)
    for (const [prefix, number] of this.#numbers) reserve.run(prefix, number)
    this.#labels.write()
    this.#totals.write(this.db)
    this.db
      .prepare('INSERT INTO bead_unworded SELECT n * 1024 FROM beads WHERE n BETWEEN ? AND ? AND worded = 1')
      .run(this.#first, this.#last)
    this.#edges.write(this.#first, this.#last)
    this.#restoreTriggers()
  }
}

const toRow = ({ line: { values }, edges, blockers }: NewBead): BeadRowValues => [
  ...VALUE_COLUMNS.map((column) => values[column]),
  edges.length,
  blockers,
]

interface Trigger {
  name: string
  sql: string
}

/**
 * Takes triggers out of the database, inside the transaction under way, and returns what puts them back. A trigger costs
 * each row more than the row itself, even when it does nothing.
 */
function suspendTriggers(db: Database, names: readonly string[]): () => void {
  const triggers = db
    .query<Trigger, [string]>(
      "SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name IN (SELECT value FROM json_each(?))",
    )
    .all(JSON.stringify(names))
  if (triggers.length !== names.length) throw new Error(`the database lacks one of the triggers ${names.join(', ')}`)
  for (const { name } of triggers) db.run(`DROP TRIGGER ${name}`)
  return () => {
    for (const { sql } of triggers) db.run(sql)
  }
}

/** The comments of new beads. */
class ImportedComments {
  readonly #insert: Statement<unknown, [number, string, string, number, number, string]>

  constructor(db: Database) {
    this.#insert = db.prepare(
      'INSERT INTO bead_comments (n, id, author, created_at, size, text) VALUES (?, ?, ?, ?, ?, ?)',
    )
  }

  /** Writes the comments of one bead; of those with one id the last stands. */
  write(bead: string, number: number, drafts: readonly CommentDraft[]): BeadComment[] {
    const distinct = [...new Map(drafts.map((draft) => [draft.id, draft])).values()]
    return distinct.map(({ id, author, createdAt, text }, index) => {
      const n = firstNumber(number) + 1 + index
      this.#insert.run(n, id, author, createdAt, Buffer.byteLength(text), text)
      return toComment(bead, { n, id, author, created_at: createdAt, text })
    })
  }
}

type LabelRow = [label: string, closed: number, createdAt: number, id: string]

/** Number that are sorted and written together. */
const MAX_WAITING = 16_384

const byPlace = ([label, closed, createdAt]: LabelRow, [other, otherClosed, otherCreatedAt]: LabelRow): number => {
  if (label !== other) return label < other ? -1 : 1
  return closed - otherClosed || createdAt - otherCreatedAt
}

/** Writes the labels of new beads in the order in which their table keeps them, which is faster than one after the other. */
class ImportedLabels {
  readonly #rows: RowBatch<LabelRow>
  #waiting: LabelRow[] = []

  constructor(db: Database) {
    this.#rows = new RowBatch(db, { into: 'bead_labels', columns: ['label', 'closed', 'created_at', 'id'] })
  }

  add(row: LabelRow): void {
    this.#waiting.push(row)
    if (this.#waiting.length === MAX_WAITING) this.write()
  }

  write(): void {
    this.#rows.insert(this.#waiting.toSorted(byPlace))
    this.#waiting = []
  }
}

const textOf = (edges: readonly EdgeRecord[]): string =>
  JSON.stringify(edges.map((edge) => [edgeKey(edge), edge.created_at, edge.created_by, edge.fields]).sort())

const recordsOf = ({ dependencies, facts }: ImportedLine): EdgeRecord[] =>
  dependencies.map((dep) => ({ ...dep, ...NO_FACTS, ...facts?.get(edgeKey(dep)) }))

/** Existing beads of the city that an import meets. */
class ExistingBeads {
  readonly #present: Statement<{ id: string }, [string]>
  readonly #row: Statement<BeadRow, [string]>
  readonly #edges: Statement<EdgeRecord, [string]>

  constructor(db: Database) {
    this.#present = db.prepare(
      stablePlan('SELECT b.id FROM json_each(?) named CROSS JOIN beads b ON b.id = named.value'),
    )
    this.#row = db.prepare(`SELECT ${ROW_COLUMNS} FROM beads WHERE id = ?`)
    this.#edges = db.prepare(`${RECORDS} = ?`)
  }

  /** Those of `ids` that exist. */
  among(ids: readonly string[]): Set<string> {
    return new Set(this.#present.all(JSON.stringify(ids)).map(({ id }) => id))
  }

  /** True if a bead that exists is surely as the line says; throws when a line may not change it. */
  isUnchanged(line: ImportedLine): boolean {
    const { id } = line.values
    const row = this.#row.get(id)
    if (row?.type === 'session') throw notImportable(id)
    if (!row || line.comments.length > 0) return false
    const present = valuesOf(row)
    const values = asPresent(line.values, row)
    return (
      VALUE_COLUMNS.every((column) => present[column] === values[column]) &&
      present.output === values.output &&
      textOf(this.#edges.all(id)) === textOf(recordsOf(line))
    )
  }
}

/** Beads of one rig, type, status and assignee. */
interface Group {
  readonly values: Pick<BeadValues, 'rig' | 'type' | 'status' | 'assignee'>
  n: number
  ready: number
  readonly labels: Map<string, number>
}

/** Counts new beads, as the triggers do that count them one by one. */
class ImportTotals {
  readonly #groups = new Map<string, Group>()
  /** Value of the previous bead, which usually equals that of the next. */
  #last: Group | undefined

  add(values: BeadValues, labels: readonly string[], blockers: number): void {
    const group = this.#groupOf(values)
    group.n++
    if (values.status === 'open' && blockers === 0 && values.workable === 1) group.ready++
    for (const label of labels) group.labels.set(label, (group.labels.get(label) ?? 0) + 1)
  }

  write(db: Database): void {
    const beads = db.prepare(
      `INSERT INTO bead_counts (rig, type, status, n, ready) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n, ready = ready + excluded.ready`,
    )
    const labelled = db.prepare(
      `INSERT INTO bead_label_counts (label, assignee, closed, rig, type, n) VALUES (?, ?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    )
    const assigned = db.prepare(
      `INSERT INTO bead_assignee_counts (assignee, closed, rig, type, n) VALUES (?, ?, ?, ?, ?)
       ON CONFLICT DO UPDATE SET n = n + excluded.n`,
    )
    for (const { values, n, ready, labels } of this.#groups.values()) {
      const { rig, type, status, assignee } = values
      const closed = status === 'closed' ? 1 : 0
      beads.run(rig, type, status, n, ready)
      if (assignee !== '') assigned.run(assignee, closed, rig, type, n)
      for (const [label, count] of labels) labelled.run(label, assignee, closed, rig, type, count)
    }
  }

  #groupOf(values: BeadValues): Group {
    if (this.#last && isOf(this.#last, values)) return this.#last
    const { rig, type, status, assignee } = values
    const key = JSON.stringify([rig, type, status, assignee])
    this.#last = this.#groups.get(key) ?? this.#newGroup(key, { rig, type, status, assignee })
    return this.#last
  }

  #newGroup(key: string, values: Group['values']): Group {
    const group = { values, n: 0, ready: 0, labels: new Map<string, number>() }
    this.#groups.set(key, group)
    return group
  }
}

const isOf = ({ values }: Group, { rig, type, status, assignee }: Group['values']): boolean =>
  values.status === status && values.type === type && values.rig === rig && values.assignee === assignee
