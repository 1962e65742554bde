import type { Database } from 'bun:sqlite'
import { stablePlan } from '../../../core/stable-plan.ts'
import type { Statement } from '../../../core/statement.ts'
import { type EdgeRecord, edgeKey, NO_FACTS, RECORDS } from '../../beads/dependencies.ts'
import { asPresent, notImportable } from '../../beads/restorer.ts'
import { type BeadRow, ROW_COLUMNS, VALUE_COLUMNS } from '../../beads/row.ts'
import { valuesOf } from '../../beads/values.ts'
import type { ImportedLine } from '../lines/line.ts'

const textOf = (edges: readonly EdgeRecord[]): string =>
  JSON.stringify(edges.map((edge) => [edgeKey(edge), edge.created_at, edge.created_by, edge.fields]).sort())

const recordsOf = ({ dependencies, facts }: ImportedLine): EdgeRecord[] =>
  dependencies.map((dep) => ({ ...dep, ...NO_FACTS, ...facts?.get(edgeKey(dep)) }))

/** What an import finds in the city. */
export class ExistingBeads {
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

  /** Whether a bead that exists is surely as the line says; throws when a line may not change it. */
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
