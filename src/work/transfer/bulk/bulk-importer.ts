import type { Database } from 'bun:sqlite'
import type { Actor } from '../../../core/actor.ts'
import type { EventAttributes, EventDefinition, PayloadOf } from '../../../core/events/event.ts'
import { EVENT_COLUMNS, type EventValues, toDraft, toValues } from '../../../core/events/row.ts'
import type { Statement } from '../../../core/statement.ts'
import { BeadCreated, eventFactsOf, eventPayloadOf } from '../../beads/events.ts'
import { toBead } from '../../beads/reader.ts'
import { VALUE_COLUMNS } from '../../beads/row.ts'
import type { Bead, Dep } from '../../beads/schema.ts'
import { noteNumber, RESERVE } from '../../beads/writer.ts'
import { BeadCommented } from '../../comments/events.ts'
import { deletedIds, type ImportedLine, isSkipped, type LineContext, type RigOf, readLine } from '../lines/line.ts'
import { InvalidLines, type SkippedLines, Skips } from '../lines/skips.ts'
import { allLines, mayHaveDeleted, sliceLines } from '../lines/slices.ts'
import { ImportedComments } from './comments.ts'
import { ImportedEdges } from './edges.ts'
import { ExistingBeads } from './existing.ts'
import { ImportedLabels } from './labels.ts'
import { RowBatch } from './row-batch.ts'
import { suspendTriggers } from './suspended-triggers.ts'
import { ImportTotals } from './totals.ts'

/** What these do for each new row is done here for all of them. */
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
  /** When the events are recorded, in milliseconds. */
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
  /** Lines that change beads or whose beads are held in more than one table, for whoever knows how. */
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

  /** What follows from all new beads together. */
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
