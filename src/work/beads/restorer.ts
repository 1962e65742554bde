import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import { byKey } from '../../core/text/index.ts'
import { BeadCreated, BeadUpdated } from '../events.ts'
import type { Bead, Dep } from '../schema.ts'
import { type Dependencies, type EdgeFacts, edgeKey } from './dependencies.ts'
import { eventFactsOf, eventPayloadOf } from './event-facts.ts'
import type { BeadImporter } from './extensions.ts'
import type { BeadReader } from './reader.ts'
import { type BeadRow, type BeadValues, fromStored, isSameBead, toStored } from './row.ts'
import { DEFAULT_PRIORITY, valuesOf } from './values.ts'
import { beadWriter } from './writer.ts'

/** A bead as a file has it. */
export interface ImportedBead {
  readonly values: BeadValues
  readonly dependencies: readonly Dep[]
  /** Recorded facts about some dependencies, by `edgeKey`. */
  readonly facts?: ReadonlyMap<string, EdgeFacts> | undefined
}

/** An imported bead without the metadata that a side table holds. */
interface SeparatedBead extends ImportedBead {
  /** All of its metadata. */
  readonly projected: Record<string, string>
}

/** Reason a bead that exists is left unchanged. */
export type KeepReason = 'older' | 'held'

export type RestoreOutcome = 'created' | 'updated' | 'unchanged' | KeepReason

/** Decides whether a bead that exists stays unchanged; undefined: the imported values replace it. */
export type KeepRule = (row: BeadRow, values: BeadValues) => KeepReason | undefined

/** Writes beads with the ids, times and dependencies they come with, whether or not they exist. */
export class BeadRestorer {
  readonly #importers = new Map<string, BeadImporter>()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      reader: BeadReader
      dependencies: Dependencies
      /** Called when an existing bead was closed, and when it was changed in any way. */
      onClosed(tx: Tx, bead: Bead): void
      onChanged(tx: Tx, before: Bead, after: Bead): void
    },
  ) {}

  registerImporter(type: string, importer: BeadImporter): void {
    this.#importers.set(type, importer)
  }

  /** The types of beads that have an importer. */
  get types(): string[] {
    return [...this.#importers.keys()]
  }

  restore(tx: Tx, imported: readonly ImportedBead[], keep: KeepRule): RestoreOutcome[] {
    const { reader } = this.peers
    beadWriter.reserve(
      tx,
      imported.map(({ values }) => values.id),
    )
    const beads = imported.map((bead) => this.#separateMetadata(bead))
    const ids = new Set<string>()
    const added = new Set<SeparatedBead>()
    for (const bead of beads) {
      const { id } = bead.values
      if (ids.has(id) || reader.row(id)) continue
      ids.add(id)
      added.add(bead)
    }
    beadWriter.insertAll(
      tx,
      [...added].map(({ values }) => values),
    )
    return beads.map((bead) => (added.has(bead) ? this.#complete(tx, bead) : this.#replace(tx, bead, keep)))
  }

  /** Writes what belongs to a bead that was inserted. */
  #complete(tx: Tx, bead: SeparatedBead): RestoreOutcome {
    const { log } = this.context
    const { reader } = this.peers
    const { values } = bead
    this.#writeSideTable(tx, bead)
    this.#addEdges(tx, bead)
    const created = reader.get(values.id)
    log.append(tx, BeadCreated, eventFactsOf(created), eventPayloadOf(created))
    return 'created'
  }

  /** The index of labels holds the time of creation: labels are taken out of it before that changes. */
  #replace(tx: Tx, bead: SeparatedBead, keep: KeepRule): RestoreOutcome {
    const { log } = this.context
    const { reader, dependencies, onClosed, onChanged } = this.peers
    const { id } = bead.values
    const row = reader.getWholeRow(id)
    if (row.type === 'session') throw notImportable(id)
    const reason = keep(row, bead.values)
    if (reason) return reason
    const values = asPresent(bead.values, row)
    const before = reader.bead(row)
    const edges = JSON.stringify(dependencies.recordsOf([id]))
    const present = valuesOf(row)
    const unlabelled = row.created_at === values.created_at ? present : { ...present, labels: '[]' }
    beadWriter.restore(tx, present, unlabelled, values.updated_at)
    this.#writeSideTable(tx, bead)
    beadWriter.restore(tx, unlabelled, values, values.updated_at)
    for (const { depends_on_id: target } of dependencies.listOf(id)) dependencies.remove(tx, id, target)
    this.#addEdges(tx, bead)
    const after = reader.get(id)
    if (isSameBead(before, after) && edges === JSON.stringify(dependencies.recordsOf([id]))) return 'unchanged'
    log.append(tx, BeadUpdated, eventFactsOf(after), eventPayloadOf(after))
    if (before.status !== 'closed' && after.status === 'closed') onClosed(tx, after)
    onChanged(tx, before, after)
    return 'updated'
  }

  #addEdges(tx: Tx, { values: { id }, dependencies, facts }: SeparatedBead): void {
    for (const dep of dependencies) {
      this.peers.dependencies.add(tx, id, dep.depends_on_id, dep.type, facts?.get(edgeKey(dep)))
    }
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

/** Imported values, with what only looks different in a file as the bead has it: no priority counts as 2. */
export const asPresent = (
  values: BeadValues,
  { priority, metadata }: Pick<BeadRow, 'priority' | 'metadata'>,
): BeadValues => ({
  ...values,
  priority: priority === null && values.priority === DEFAULT_PRIORITY ? null : values.priority,
  metadata: isReordered(values.metadata, metadata) ? metadata : values.metadata,
})

/** True if two objects as JSON have the same entries in another order. */
function isReordered(json: string, other: string): boolean {
  if (json === other || json.length !== other.length) return false
  const sorted = (text: string) => JSON.stringify(Object.entries(JSON.parse(text)).sort(byKey))
  return sorted(json) === sorted(other)
}

export const notImportable = (id: string): AppError =>
  new AppError('conflict-wrong-state', `bead ${id} is a session of this city, which an import cannot change`)
