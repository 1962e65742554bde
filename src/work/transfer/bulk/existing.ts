import type { Database } from 'bun:sqlite'
import { stablePlan } from '../../../core/stable-plan.ts'
import type { Statement } from '../../../core/statement.ts'
import { notImportable } from '../../beads/restorer.ts'
import { type BeadRow, ROW_COLUMNS, VALUE_COLUMNS } from '../../beads/row.ts'
import type { Dep } from '../../beads/schema.ts'
import { valuesOf } from '../../beads/values.ts'
import type { ImportedLine } from '../lines/line.ts'

const textOf = (edges: readonly Dep[]): string =>
  JSON.stringify(edges.map(({ depends_on_id, type }) => [depends_on_id, type]).sort())

/** What an import finds in the city. */
export class ExistingBeads {
  readonly #present: Statement<{ id: string }, [string]>
  readonly #row: Statement<BeadRow, [string]>
  readonly #edges: Statement<Dep, [string]>

  constructor(db: Database) {
    this.#present = db.prepare(
      stablePlan('SELECT b.id FROM json_each(?) named CROSS JOIN beads b ON b.id = named.value'),
    )
    this.#row = db.prepare(`SELECT ${ROW_COLUMNS} FROM beads WHERE id = ?`)
    this.#edges = db.prepare('SELECT issue_id, depends_on_id, type FROM bead_edges WHERE issue_id = ?')
  }

  /** Those of `ids` that exist. */
  among(ids: readonly string[]): Set<string> {
    return new Set(this.#present.all(JSON.stringify(ids)).map(({ id }) => id))
  }

  /** Whether a bead that exists is surely as the line says; throws when a line may not change it. */
  isUnchanged({ values, dependencies, comments }: ImportedLine): boolean {
    const row = this.#row.get(values.id)
    if (row?.type === 'session') throw notImportable(values.id)
    if (!row || comments.length > 0) return false
    const present = valuesOf(row)
    return (
      VALUE_COLUMNS.every((column) => present[column] === values[column]) &&
      present.output === values.output &&
      textOf(this.#edges.all(values.id)) === textOf(dependencies)
    )
  }
}
