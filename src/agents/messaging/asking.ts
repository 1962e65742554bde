import type { Asking } from '../questions/questions.ts'
import type { SessionRow } from '../sessions/table.ts'

/** Who asks, and over what. */
export const askingOf = (
  row: SessionRow & { hostKey: string },
  by: Asking['by'],
  bead: string | undefined,
): Asking => ({
  sessionId: row.id,
  hostKey: row.hostKey,
  by,
  beadId: bead ?? null,
  folder: row.workDir,
})
