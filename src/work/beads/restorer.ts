import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Tx } from '../../core/store.ts'
import type { Dependencies } from './dependencies.ts'
import { BeadCreated, BeadUpdated, eventFactsOf } from './events.ts'
import type { BeadImporter } from './extensions.ts'
import type { BeadReader } from './reader.ts'
import type { BeadRow, BeadValues } from './row.ts'
import type { Bead, Dep } from './schema.ts'
import { valuesOf } from './values.ts'
import type { BeadWriter } from './writer.ts'

/** A bead as a file has it. */
export interface ImportedBead {
  readonly values: BeadValues
  readonly dependencies: readonly Dep[]
}

export type RestoreOutcome = 'created' | 'updated' | 'unchanged'

interface BeadRestorerOptions {
  log: EventLog
  reader: BeadReader
  writer: BeadWriter
  dependencies: Dependencies
  /** Called when an existing bead was closed, and when it was changed in any way. */
  onClosed(tx: Tx, bead: Bead): void
  onChanged(tx: Tx, before: Bead, after: Bead): void
}

/** Writes beads with the ids, times and dependencies they come with, whether or not they exist. */
export class BeadRestorer {
  readonly #importers = new Map<string, BeadImporter>()

  constructor(private readonly options: BeadRestorerOptions) {}

  registerImporter(type: string, importer: BeadImporter): void {
    this.#importers.set(type, importer)
  }

  restore(tx: Tx, imported: readonly ImportedBead[]): RestoreOutcome[] {
    this.options.writer.reserve(imported.map(({ values }) => values.id))
    return imported.map((bead) => this.#restore(tx, bead))
  }

  #restore(tx: Tx, imported: ImportedBead): RestoreOutcome {
    const { reader } = this.options
    const { values, projected } = this.#splitMetadata(imported.values)
    const writeSideTable = () => this.#importers.get(values.type)?.import(tx, values, projected)
    const row = reader.row(values.id)
    if (row?.type === 'session') throw notImportable(values.id)
    return row
      ? this.#replace(tx, row, { ...imported, values }, writeSideTable)
      : this.#create(tx, { ...imported, values }, writeSideTable)
  }

  /** Beads that wait for this one are unblocked by an update of its status. */
  #create(tx: Tx, { values, dependencies: edges }: ImportedBead, writeSideTable: () => void): RestoreOutcome {
    const { log, reader, writer, dependencies } = this.options
    const isAwaited = values.status === 'closed' && dependencies.hasDependents(values.id)
    const inserted = isAwaited ? { ...values, status: 'open' } : values
    writer.insert(inserted)
    writeSideTable()
    for (const { depends_on_id: target, type } of edges) dependencies.add(values.id, target, type)
    if (isAwaited) writer.update(inserted, values, values.updated_at)
    const bead = reader.get(values.id)
    log.append(tx, BeadCreated, eventFactsOf(bead), { bead })
    return 'created'
  }

  /** The index of labels holds the time of creation: labels are taken out of it before that changes. */
  #replace(
    tx: Tx,
    row: BeadRow,
    { values, dependencies: edges }: ImportedBead,
    writeSideTable: () => void,
  ): RestoreOutcome {
    const { log, reader, writer, dependencies, onClosed, onChanged } = this.options
    const before = reader.bead(row)
    const present = valuesOf(row)
    const unlabelled = row.created_at === values.created_at ? present : { ...present, labels: '[]' }
    writer.update(present, unlabelled, values.updated_at)
    writeSideTable()
    writer.update(unlabelled, values, values.updated_at)
    for (const { depends_on_id: target } of dependencies.listOf(values.id)) dependencies.remove(values.id, target)
    for (const { depends_on_id: target, type } of edges) dependencies.add(values.id, target, type)
    const after = reader.get(values.id)
    if (JSON.stringify(before) === JSON.stringify(after)) return 'unchanged'
    log.append(tx, BeadUpdated, eventFactsOf(after), { bead: after })
    if (before.status !== 'closed' && after.status === 'closed') onClosed(tx, after)
    onChanged(tx, before, after)
    return 'updated'
  }

  /** Separates the metadata that a side table holds from what is kept with the bead. */
  #splitMetadata(values: BeadValues): { values: BeadValues; projected: Record<string, string> } {
    const importer = this.#importers.get(values.type)
    if (!importer) return { values, projected: {} }
    const metadata: Record<string, string> = JSON.parse(values.metadata)
    const own = Object.fromEntries(Object.entries(metadata).filter(([key]) => !importer.owns(key)))
    return { values: { ...values, metadata: JSON.stringify(own) }, projected: metadata }
  }
}

const notImportable = (id: string): AppError =>
  new AppError('conflict-wrong-state', `bead ${id} is a session of this city, which an import cannot change`)
