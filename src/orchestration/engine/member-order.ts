import { isGating } from '../../work/beads/readiness.ts'
import type { BeadRepository } from '../../work/beads/repository.ts'
import type { Bead } from '../../work/beads/schema.ts'

/** The ids of beads, each behind those among them that it waits for; else in the order given, also where they wait in a circle. */
export function inDependencyOrder(members: readonly Bead[], beads: Pick<BeadRepository, 'dependenciesOf'>): string[] {
  const ids = new Set(members.map(({ id }) => id))
  const seen = new Set<string>()
  const ordered: string[] = []
  const visit = (id: string) => {
    if (seen.has(id)) return
    seen.add(id)
    for (const { type, depends_on_id } of beads.dependenciesOf(id)) {
      if (isGating(type) && ids.has(depends_on_id)) visit(depends_on_id)
    }
    ordered.push(id)
  }
  for (const id of ids) visit(id)
  return ordered
}
