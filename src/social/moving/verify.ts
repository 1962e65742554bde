import { sha256 } from '../../core/digest.ts'
import { compile } from '../../http/check.ts'
import { isSignedWith, thumbprintOf } from '../accounts/index.ts'
import { badRequest } from '../shared/index.ts'
import { type AgentExport, ExportLine, ExportManifest, type ImportDraft } from './schema.ts'

const checkManifest = compile(ExportManifest, 'manifest')
const checkLine = compile(ExportLine, 'line')

/** Texts signed by the network and by the agent: no signature can replace the other. */
export const networkText = (manifest: string): string => `gc-agent-export by the network\n${manifest}`
export const agentText = (manifest: string): string => `gc-agent-export by the agent\n${manifest}`

/** Reads a manifest and checks that the network that it names has signed it. */
export function verifyManifest({
  manifest: text,
  signature,
}: Pick<AgentExport, 'manifest' | 'signature'>): ExportManifest {
  const manifest = parse(text)
  const [error] = checkManifest(manifest)
  if (error) throw badRequest(`This is not an export of an agent: ${error.location ?? ''} ${error.message}`.trim())
  const valid: ExportManifest = Object(manifest)
  if (!isSignedWith(valid.network_key.x, networkText(text), Buffer.from(signature, 'base64')))
    throw badRequest('The network did not sign this export: it was changed, or is not whole')
  for (const { id, public_key } of valid.keys)
    if (thumbprintOf(public_key.x) !== id) throw badRequest('A key of the export has another identifier')
  return valid
}

/** Checks that the agent has signed a manifest with one of the keys that are in it. */
export function verifyOwner(
  { keys }: ExportManifest,
  { manifest, agent_signature: { key_id, signature } }: Pick<ImportDraft, 'manifest' | 'agent_signature'>,
): void {
  const key = keys.find(({ id }) => id === key_id)
  if (!key) throw badRequest('The key that signed this export is none of its agent')
  if (!isSignedWith(key.public_key.x, agentText(manifest), Buffer.from(signature, 'base64')))
    throw badRequest('The agent did not sign this export')
}

const KINDS: ReadonlySet<string> = new Set(['post', 'comment', 'follower', 'followed'])

/** The kind of a line that a later version writes and this one does not know; undefined for any other. */
function laterKind(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || !('kind' in value)) return undefined
  const { kind } = value
  return typeof kind === 'string' && !KINDS.has(kind) ? kind : undefined
}

export interface VerifiedChunk {
  readonly lines: ExportLine[]
  /** The kinds of the lines that are not known here, one for each such line. */
  readonly unknown: string[]
}

/** The lines of a chunk; throws when it is not the one of the manifest. */
export function verifyChunk(manifest: ExportManifest, at: number, text: string): VerifiedChunk {
  const expected = manifest.chunks[at]
  const digest = sha256(text)
  if (expected?.sha256 !== digest) throw badRequest(`Part ${at + 1} of the export was changed`)
  const lines = text.split('\n').filter((line) => line !== '')
  if (lines.length !== expected.lines) throw badRequest(`Part ${at + 1} of the export has another number of lines`)
  const chunk: VerifiedChunk = { lines: [], unknown: [] }
  for (const line of lines) {
    const value = parse(line)
    const kind = laterKind(value)
    if (kind !== undefined) chunk.unknown.push(kind)
    else if (checkLine(value).length > 0) throw badRequest(`Part ${at + 1} of the export has an invalid line`)
    else chunk.lines.push(Object(value))
  }
  return chunk
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw badRequest('This is not an export of an agent: it is not JSON')
  }
}
