import { type Content, mergedContent } from './content.ts'
import { digest, type Found, hashOf, type ProjectDisk } from './disk.ts'
import type { ProjectFileRow } from './table.ts'
import type { WantedFile } from './wanted.ts'

interface PlanInput {
  readonly path: string
  readonly file: WantedFile
  readonly found: Found
  /** What is on the list of gc for this place. */
  readonly row: ProjectFileRow | undefined
  /** Whether it is in the project's repository. */
  readonly isTracked: boolean
  /** Whether other sessions work in the folder. */
  readonly isShared: boolean
}

type ListedFile = Pick<ProjectFileRow, 'kind' | 'hash' | 'original'>

/** What is done with one place: it is written, or is as it should be already. Without a row it is not ours. */
export interface Plan {
  readonly path: string
  readonly row: ListedFile | undefined
  readonly write: ((disk: ProjectDisk) => Promise<void>) | undefined
}

export type PlacedFile = Plan & { readonly row: ListedFile }

/** Why a file of others is left alone. */
export interface KeptFile {
  readonly kept: string
}

/** Decides what is done with one place of a project. Files of others are never replaced. */
export function planFile(input: PlanInput): Plan | KeptFile {
  const { file, found, row, isTracked } = input
  const isOurs = row !== undefined && hashOf(found) === row.hash
  if (found.kind === 'nothing' && isTracked) return { kept: 'it is in the repository and was deleted here' }
  if (file.kind === 'link') return planLink(input, file.target, isOurs)
  if (file.kind === 'file') return planContent(input, { bytes: Buffer.from(file.bytes), mode: file.mode }, null, isOurs)
  if (row && !isOurs && !isOriginal(found, row)) return { kept: 'it was changed after gc wrote to it' }
  if (found.kind === 'link' || found.kind === 'other') return { kept: 'it is not a plain file' }
  return planMerged(input, file, isOurs)
}

/** Whether a file is as it was before gc wrote to it, as after a crash in between. */
const isOriginal = (found: Found, { original }: ProjectFileRow): boolean =>
  found.kind === 'nothing' || (found.kind === 'file' && original !== null && found.bytes.toString('utf8') === original)

function planLink({ path, found, row, isTracked }: PlanInput, target: string, isOurs: boolean): Plan | KeptFile {
  if (isTracked) return { kept: 'it is in the repository' }
  const isThere = found.kind === 'link' && found.target === target
  if (found.kind !== 'nothing' && !isOurs) return isThere && !row ? NOT_OURS(path) : { kept: 'it is not of gc' }
  const listed = { kind: 'link', hash: digest(Buffer.from(target)), original: null } as const
  return { path, row: listed, write: isThere ? undefined : (disk) => disk.link(path, target) }
}

function planMerged(
  input: PlanInput,
  file: Extract<WantedFile, { kind: 'settings' | 'tables' }>,
  isOurs: boolean,
): Plan | KeptFile {
  const { path, found, row, isShared } = input
  const current = found.kind === 'file' ? found.bytes.toString('utf8') : ''
  const original = isOurs ? (row?.original ?? null) : found.kind === 'file' ? current : null
  const base = isOurs && !isShared ? (original ?? '') : current
  const content = mergedContent(path, file, base)
  const mode = found.kind === 'file' && !file.isSecret ? found.mode : content.mode
  return planContent(input, { ...content, mode }, original, true)
}

function planContent(
  { path, found, row }: PlanInput,
  { bytes, mode }: Content,
  original: string | null,
  mayReplace: boolean,
): Plan | KeptFile {
  const isThere = found.kind === 'file' && found.bytes.equals(bytes)
  if (isThere && !row) return NOT_OURS(path)
  if (found.kind !== 'nothing' && !mayReplace) return { kept: 'it is not of gc' }
  const listed = { kind: 'file', hash: digest(bytes), original } as const
  const isSame = isThere && found.mode === mode
  return { path, row: listed, write: isSame ? undefined : (disk) => disk.write(path, bytes, mode) }
}

const NOT_OURS = (path: string): Plan => ({ path, row: undefined, write: undefined })

/** Takes out what gc wrote: what was there before comes back. Undefined for what somebody has changed since. */
export function planRemoval(
  { path, hash, original }: ProjectFileRow,
  found: Found | { kind: 'other' },
): ((disk: ProjectDisk) => Promise<void>) | undefined {
  if (hashOf(found) !== hash) return undefined
  if (original === null) return (disk) => disk.remove(path)
  const mode = found.kind === 'file' ? found.mode : 0o644
  return (disk) => disk.write(path, Buffer.from(original), mode)
}
