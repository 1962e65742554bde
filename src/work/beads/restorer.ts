import { AppError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Tx } from '../../core/store.ts'
import type { Dependencies } from './dependencies.ts'
import { BeadCreated, BeadUpdated, eventFactsOf, eventPayloadOf } from './events.ts'
import type { BeadImporter } from './extensions.ts'
import { fromStored, isSameBead, toStored } from './outputs.ts'
import type { BeadReader } from './reader.ts'
import type { BeadValues } from './row.ts'
import type { Bead, Dep } from './schema.ts'
import { valuesOf } from './values.ts'
import type { BeadWriter } from './writer.ts'

/** A bead as a file has it. */
export interface ImportedBead {
  readonly values: BeadValues
  readonly dependencies: readonly Dep[]
}

/** An imported bead without the metadata that a side table holds. */
interface SeparatedBead extends ImportedBead {
  /** All of its metadata. */
  readonly projected: Record<string, string>
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

  /** The types of beads that have an importer. */
  get types(): string[] {
    return [...this.#importers.keys()]
  }

  restore(tx: Tx, imported: readonly ImportedBead[]): RestoreOutcome[] {
    const { reader, writer } = this.options
    writer.reserve(imported.map(({ values }) => values.id))
    const beads = imported.map((bead) => this.#separateMetadata(bead))
    const ids = new Set<string>()
    const added = new Set<SeparatedBead>()
    for (const bead of beads) {
      const { id } = bead.values
      if (ids.has(id) || reader.row(id)) continue
      ids.add(id)
      added.add(bead)
    }
    writer.insertAll([...added].map(({ values }) => values))
    return beads.map((bead) => (added.has(bead) ? this.#complete(tx, bead) : this.#replace(tx, bead)))
  }

  /** Writes what belongs to a bead that was inserted. */
  #complete(tx: Tx, bead: SeparatedBead): RestoreOutcome {
    const { log, reader, dependencies } = this.options
    const { values } = bead
    this.#writeSideTable(tx, bead)
    for (const { depends_on_id: target, type } of bead.dependencies) dependencies.add(values.id, target, type)
    const created = reader.get(values.id)
    log.append(tx, BeadCreated, eventFactsOf(created), eventPayloadOf(created))
    return 'created'
  }

  /** The index of labels holds the time of creation: labels are taken out of it before that changes. */
  #replace(tx: Tx, bead: SeparatedBead): RestoreOutcome {
    const { log, reader, writer, dependencies, onClosed, onChanged } = this.options
    const { values, dependencies: edges } = bead
    const row = reader.getWholeRow(values.id)
    if (row.type === 'session') throw notImportable(values.id)
    const before = reader.bead(row)
    const present = valuesOf(row)
    const unlabelled = row.created_at === values.created_at ? present : { ...present, labels: '[]' }
    writer.update(present, unlabelled, values.updated_at)
    this.#writeSideTable(tx, bead)
    writer.update(unlabelled, values, values.updated_at)
    for (const { depends_on_id: target } of dependencies.listOf(values.id)) dependencies.remove(values.id, target)
    for (const { depends_on_id: target, type } of edges) dependencies.add(values.id, target, type)
    const after = reader.get(values.id)
    if (isSameBead(before, after)) return 'unchanged'
    log.append(tx, BeadUpdated, eventFactsOf(after), eventPayloadOf(after))
    if (before.status !== 'closed' && after.status === 'closed') onClosed(tx, after)
    onChanged(tx, before, after)
    return 'updated'
  }

  #writeSideTable(tx: Tx, { values, projected }: SeparatedBead): void {
    this.#importers.get(values.type)?.import(tx, values, projected)
  }

  /** Separates the metadata that a side table holds from what is kept with the bead. */
  #separateMetadata(bead: ImportedBead): SeparatedBead {
    const { values } = bead
    const importer = this.#importers.get(values.type)
    if (!importer) return { ...bead, projected: {} }
    const metadata = fromStored(values)
    const own = Object.fromEntries(Object.entries(metadata).filter(([key]) => !importer.owns(key)))
    return { ...bead, values: { ...values, ...toStored(own) }, projected: metadata }
  }
}

export const notImportable = (id: string): AppError =>
  new AppError('conflict-wrong-state', `bead ${id} is a session of this city, which an import cannot change`)
