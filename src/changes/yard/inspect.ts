import { sha256 } from '../../core/digest.ts'
import { AppError } from '../../core/errors.ts'
import { SECRET_FORMATS } from '../../core/text/index.ts'
import type { Yard } from './yard.ts'

/** A path that differs between two commits. Blobs and modes are as git names them; zeros for what is not there. */
export interface PathChange {
  readonly path: string
  readonly oldMode: string
  readonly newMode: string
  readonly oldBlob: string
  readonly newBlob: string
}

/** The number of commits in which replaced contents are searched. */
const LOOK_BACK = 50
const MAX_LIST_BYTES = 128 * 1024 * 1024
const MAX_PATCH_BYTES = 64 * 1024 * 1024
const RAW = ['-r', '--raw', '--no-renames', '--no-abbrev', '-z', '--no-ext-diff', '--ignore-submodules=none']
const SUBMODULE = '160000'
const NOTHING = /^0+$/
const POINTER_LINE = '+version https://git-lfs.github.com/spec/v1'

/** The paths in which each second commit of some pairs differs from the first. */
export async function changesOfPairs(
  yard: Yard,
  pairs: readonly (readonly [from: string, to: string])[],
): Promise<PathChange[][]> {
  if (pairs.length === 0) return []
  // A commit is compared with what follows it as with its parent.
  const input = Buffer.from(pairs.map(([from, to]) => `${to} ${from}\n`).join(''))
  const args = ['diff-tree', '--stdin', '--always', ...RAW]
  const fields = (await yard.own.read(args, { maxOutput: MAX_LIST_BYTES, input })).split('\0')
  const found: PathChange[][] = []
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? ''
    if (field.startsWith(':')) found.at(-1)?.push(toChange(field, fields[++at]))
    else if (field !== '') found.push([])
  }
  if (found.length !== pairs.length) throw new AppError('internal', 'git compared other commits than it was given')
  return found
}

/** The paths that differ between two commits. */
export async function changesBetween(yard: Yard, from: string, to: string): Promise<PathChange[]> {
  return parseRaw(await yard.own.read(['diff-tree', ...RAW, from, to], { maxOutput: MAX_LIST_BYTES }))
}

function parseRaw(text: string): PathChange[] {
  const fields = text.split('\0')
  const changes: PathChange[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) changes.push(toChange(fields[at] ?? '', fields[at + 1]))
  return changes
}

function toChange(facts: string, path = ''): PathChange {
  const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = facts.replace(/^\n*:/, '').split(' ')
  return { path, oldMode, newMode, oldBlob, newBlob }
}

/** Stands for exactly these paths with exactly these contents. */
export const changesDigest = (changes: readonly PathChange[]): string =>
  sha256(
    changes
      .map(({ path, oldMode, newMode, oldBlob, newBlob }) => [path, oldMode, newMode, oldBlob, newBlob].join('\0'))
      .sort()
      .join('\n'),
  )

/** The name that each path of `from` has in `to`, where it was renamed. */
export async function renamesBetween(yard: Yard, from: string, to: string): Promise<Map<string, string>> {
  const args = ['diff-tree', '-r', '-M', '--diff-filter=R', '--name-status', '-z', from, to]
  const fields = (await yard.own.read(args, { maxOutput: MAX_LIST_BYTES })).split('\0')
  const renames = new Map<string, string>()
  for (let at = 0; at + 2 < fields.length; at += 3) renames.set(fields[at + 1] ?? '', fields[at + 2] ?? '')
  return renames
}

/** Lines added and removed between two commits; a binary file counts none. */
export async function linesBetween(yard: Yard, from: string, to: string): Promise<number> {
  const text = await yard.own.read(['diff-tree', '-r', '--numstat', '--no-renames', from, to], {
    maxOutput: MAX_LIST_BYTES,
  })
  return text.split('\n').reduce((sum, line) => {
    const [added = '0', removed = '0'] = line.split('\t')
    return sum + (Number(added) || 0) + (Number(removed) || 0)
  }, 0)
}

/** Contents that a branch replaced, by path. */
export type Replaced = ReadonlyMap<string, ReadonlySet<string>>

/** The contents that a branch replaced in its last commits. */
export async function replacedIn(yard: Yard, tip: string): Promise<Replaced> {
  const args = ['log', '-n', String(LOOK_BACK), '--first-parent', '-m', '--format=', '--diff-filter=a', ...RAW, tip]
  return replacedBy(parseRaw(await yard.own.read(args, { maxOutput: MAX_LIST_BYTES })))
}

/** The contents that some changes replace, besides others. */
export function replacedBy(changes: readonly PathChange[], besides: Replaced = new Map()): Replaced {
  const all = new Map([...besides].map(([path, blobs]) => [path, new Set(blobs)]))
  for (const { path, oldBlob } of changes) all.set(path, (all.get(path) ?? new Set()).add(oldBlob))
  return all
}

/** The paths to which changes bring replaced contents back. New files replaced nothing. */
export const broughtBack = (changes: readonly PathChange[], replaced: Replaced): string[] => [
  ...new Set(
    changes
      .filter(({ path, newBlob }) => !NOTHING.test(newBlob) && replaced.get(path)?.has(newBlob))
      .map(({ path }) => path),
  ),
]

export const movedSubmodules = (changes: readonly PathChange[]): string[] =>
  changes.filter(({ oldMode, newMode }) => oldMode === SUBMODULE || newMode === SUBMODULE).map(({ path }) => path)

/** The kind of secret in an added line. */
export interface Finding {
  readonly path: string
  readonly what: string
}

/** What the lines have that a branch adds. */
export interface AddedLines {
  readonly findings: readonly Finding[]
  /** The paths of what may be pointers of Git LFS. */
  readonly pointers: readonly string[]
  /** Whether there were too many lines to look through. */
  readonly isCut: boolean
}

/** Looks through the lines that a branch adds, for secrets and pointers. */
export async function readAddedLines(yard: Yard, from: string, to: string): Promise<AddedLines> {
  const args = ['diff-tree', '-r', '-p', '-U0', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color']
  const prefixes = ['--src-prefix=a/', '--dst-prefix=b/']
  const result = await yard.own.execute([...args, ...prefixes, from, to], { maxOutput: MAX_PATCH_BYTES })
  const findings: Finding[] = []
  const pointers: string[] = []
  let path = ''
  let isHeader = true
  for (const line of result.stdout.split('\n')) {
    if (line.startsWith('diff --git ')) isHeader = true
    else if (line.startsWith('@@ ')) isHeader = false
    else if (isHeader && line.startsWith('+++ ')) path = line.slice('+++ b/'.length).replace(/\t$/, '')
    else if (!isHeader && line.startsWith('+')) {
      if (line === POINTER_LINE) pointers.push(path)
      const what = findingIn(line.slice(1))
      if (what !== undefined && !findings.some((each) => each.path === path)) findings.push({ path, what })
    }
  }
  return { findings, pointers, isCut: result.exceeded !== undefined || result.exitCode !== 0 }
}

function findingIn(line: string): string | undefined {
  const [name] =
    SECRET_FORMATS.find(([, pattern]) => new RegExp(pattern.source, pattern.flags.replace('g', '')).test(line)) ?? []
  return name
}
