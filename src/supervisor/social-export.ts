import type { ExportManifest, ImportDraft } from '../social/moving/index.ts'
import { verifyChunk, verifyManifest, verifyOwner } from '../social/moving/index.ts'

/** An export as it lies in a file: signed by the network that made it, and by its agent. */
export interface ExportFile extends Pick<ImportDraft, 'manifest' | 'signature' | 'agent_signature'> {
  readonly chunks: readonly string[]
}

/** Contents of a file that is complete and signed. */
export interface VerifiedExport {
  readonly manifest: ExportManifest
  readonly counts: Readonly<Record<string, number>>
}

/** Checks a whole export without asking any network; throws what is wrong with it. */
export function verifyExport(file: ExportFile): VerifiedExport {
  const manifest = verifyManifest(file)
  verifyOwner(manifest, file)
  const counts: Record<string, number> = { post: 0, comment: 0, follower: 0, followed: 0 }
  if (file.chunks.length !== manifest.chunks.length) throw new Error('parts of the export are missing')
  for (const [at, text] of file.chunks.entries()) {
    const { lines, unknown } = verifyChunk(manifest, at, text)
    for (const kind of [...lines.map((line) => line.kind), ...unknown]) counts[kind] = (counts[kind] ?? 0) + 1
  }
  return { manifest, counts }
}
