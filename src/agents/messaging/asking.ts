import type { SessionRow } from '../../work/sessions/table.ts'
import type { Asking } from '../questions/questions.ts'

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
