import { type Content, mergedContent } from './content.ts'
import { digest, type ExistingFile, hashOf, type ProjectDisk } from './disk.ts'
import type { ProjectFileRow } from './table.ts'
import type { WantedFile } from './wanted.ts'

interface PlanInput {
  readonly path: string
  readonly file: WantedFile
  readonly existing: ExistingFile
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
export interface SkippedFile {
  readonly reason: string
}

/** Decides what is done with one place of a project. Files of others are never replaced. */
export function planFile(input: PlanInput): Plan | SkippedFile {
  const { file, existing, row, isTracked } = input
  const isOurs = row !== undefined && hashOf(existing) === row.hash
  if (existing.kind === 'nothing' && isTracked) return { reason: 'it is in the repository and was deleted here' }
  if (file.kind === 'link') return planLink(input, file.target, isOurs)
  if (file.kind === 'file') return planContent(input, { bytes: Buffer.from(file.bytes), mode: file.mode }, null, isOurs)
  if (row && !isOurs && !isOriginal(existing, row)) return { reason: 'it was changed after gc wrote to it' }
  if (existing.kind === 'link' || existing.kind === 'other') return { reason: 'it is not a plain file' }
  return planMerged(input, file, isOurs)
}

/** Whether a file is as it was before gc wrote to it, as after a crash in between. */
const isOriginal = (existing: ExistingFile, { original }: ProjectFileRow): boolean =>
  existing.kind === 'nothing' ||
  (existing.kind === 'file' && original !== null && existing.bytes.toString('utf8') === original)

function planLink({ path, existing, row, isTracked }: PlanInput, target: string, isOurs: boolean): Plan | SkippedFile {
  if (isTracked) return { reason: 'it is in the repository' }
  const isThere = existing.kind === 'link' && existing.target === target
  if (existing.kind !== 'nothing' && !isOurs) return isThere && !row ? NOT_OURS(path) : { reason: 'it is not of gc' }
  const listed = { kind: 'link', hash: digest(Buffer.from(target)), original: null } as const
  return { path, row: listed, write: isThere ? undefined : (disk) => disk.link(path, target) }
}

function planMerged(
  input: PlanInput,
  file: Extract<WantedFile, { kind: 'settings' | 'tables' }>,
  isOurs: boolean,
): Plan | SkippedFile {
  const { path, existing, row, isShared } = input
  const current = existing.kind === 'file' ? existing.bytes.toString('utf8') : ''
  const original = isOurs ? (row?.original ?? null) : existing.kind === 'file' ? current : null
  const base = isOurs && !isShared ? (original ?? '') : current
  const content = mergedContent(path, file, base)
  const mode = existing.kind === 'file' && !file.isSecret ? existing.mode : content.mode
  return planContent(input, { ...content, mode }, original, true)
}

function planContent(
  { path, existing, row }: PlanInput,
  { bytes, mode }: Content,
  original: string | null,
  mayReplace: boolean,
): Plan | SkippedFile {
  const isThere = existing.kind === 'file' && existing.bytes.equals(bytes)
  if (isThere && !row) return NOT_OURS(path)
  if (existing.kind !== 'nothing' && !mayReplace) return { reason: 'it is not of gc' }
  const listed = { kind: 'file', hash: digest(bytes), original } as const
  const isSame = isThere && existing.mode === mode
  return { path, row: listed, write: isSame ? undefined : (disk) => disk.write(path, bytes, mode) }
}

const NOT_OURS = (path: string): Plan => ({ path, row: undefined, write: undefined })

/** Takes out what gc wrote: what was there before comes back. Undefined for what somebody has changed since. */
export function planRemoval(
  { path, hash, original }: ProjectFileRow,
  existing: ExistingFile | { kind: 'other' },
): ((disk: ProjectDisk) => Promise<void>) | undefined {
  if (hashOf(existing) !== hash) return undefined
  if (original === null) return (disk) => disk.remove(path)
  const mode = existing.kind === 'file' ? existing.mode : 0o644
  return (disk) => disk.write(path, Buffer.from(original), mode)
}
