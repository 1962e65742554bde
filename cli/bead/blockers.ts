import { sanitizeLine } from '../../src/client/text.ts'
import type { BeadDependencies } from '../../src/work/beads/index.ts'

/** The types of dependencies that keep a bead from being ready. */
export const GATING: ReadonlySet<string> = new Set(['blocks', 'waits-for', 'conditional-blocks'])

/** The beads that block one, each once: those that are open or missing. */
export const openBlockers = ({ depends_on: on }: BeadDependencies): string[] => [
  ...new Set(on.flatMap(({ id, type, bead }) => (GATING.has(type) && bead?.status !== 'closed' ? [id] : []))),
]

/** Lists the blockers of a blocked bead. Without any, its counter is wrong. */
export const describeBlockers = (blockers: readonly string[]): string =>
  blockers.length > 0
    ? blockers.map(sanitizeLine).join(', ')
    : 'nothing blocks it, so its counter is wrong; gc doctor --fix corrects it'
