import type { WorktreeStart } from '../../agents/worktrees/index.ts'
import type { LandConfig } from '../../config/land/index.ts'
import { type BeadRepository, isGating } from '../../work/beads/index.ts'
import type { Yard } from '../yard/index.ts'
import { isGivenBack } from './parts.ts'
import { FINAL, type LandingRows } from './rows.ts'
import type { LandingRow } from './table.ts'

interface StartOptions {
  readonly rows: LandingRows
  readonly beads: Pick<BeadRepository, 'dependenciesOf'>
  readonly yard: Yard
  readonly land: LandConfig
  readonly target: string
}

/**
 * The commit that work on a bead starts from: its own branch that was given back, the head of what it depends on and that has
 * not landed yet, or else the target as gc saw it last.
 */
export function startOf(
  { rows, beads, yard, land, target }: StartOptions,
  rig: string,
  bead: string,
): WorktreeStart | undefined {
  const own = rows.ofBead(bead).find((row) => row.rig === rig && isGivenBack(row))
  const [head] = own ? [own] : dependedOn({ rows, beads }, rig, bead)
  if (head) return { commit: head.head, session: head.session }
  const commit = rows.train(rig)?.base
  if (commit == null || land.mode === 'local') return undefined
  const ref = `refs/remotes/${land.remote}/${target}`
  const source = `refs/gc/base/${target}`
  return { commit, fetched: { ref, source, bundle: (sources, file, known) => yard.bundle(sources, file, known) } }
}

/** Dependencies of a bead that have not landed yet, the last in the queue first. */
function dependedOn({ rows, beads }: Pick<StartOptions, 'rows' | 'beads'>, rig: string, bead: string): LandingRow[] {
  const needed = bead === '' ? [] : beads.dependenciesOf(bead).filter(({ type }) => isGating(type))
  const open = needed.flatMap(({ depends_on_id }) =>
    rows.ofBead(depends_on_id).filter((row) => row.rig === rig && !FINAL.includes(row.state)),
  )
  return open.sort((a, b) => b.place - a.place)
}
