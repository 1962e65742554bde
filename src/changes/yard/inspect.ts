import { sha256 } from '../../core/digest.ts'
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

/** The paths that differ between two commits. */
export async function changesBetween(yard: Yard, from: string, to: string): Promise<PathChange[]> {
  return parseRaw(await yard.own.read(['diff-tree', ...RAW, from, to], { maxOutput: MAX_LIST_BYTES }))
}

function parseRaw(text: string): PathChange[] {
  const fields = text.split('\0')
  const changes: PathChange[] = []
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [oldMode = '', newMode = '', oldBlob = '', newBlob = ''] = (fields[at] ?? '').replace(/^\n*:/, '').split(' ')
    changes.push({ path: fields[at + 1] ?? '', oldMode, newMode, oldBlob, newBlob })
  }
  return changes
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

/** The paths to which changes bring contents back that the branch replaced in its last commits. New files replaced nothing. */
export async function broughtBack(yard: Yard, tip: string, changes: readonly PathChange[]): Promise<string[]> {
  const wanted = new Map(
    changes.filter(({ newBlob }) => !/^0+$/.test(newBlob)).map((each) => [each.path, each.newBlob]),
  )
  if (wanted.size === 0) return []
  const args = ['log', '-n', String(LOOK_BACK), '--first-parent', '-m', '--format=', '--diff-filter=a', ...RAW, tip]
  const text = await yard.own.read(args, { maxOutput: MAX_LIST_BYTES })
  const replaced = parseRaw(text).filter(({ path, oldBlob }) => wanted.get(path) === oldBlob)
  return [...new Set(replaced.map(({ path }) => path))]
}

export const movedSubmodules = (changes: readonly PathChange[]): string[] =>
  changes.filter(({ oldMode, newMode }) => oldMode === SUBMODULE || newMode === SUBMODULE).map(({ path }) => path)

/** The kind of secret in an added line. */
export interface Finding {
  readonly path: string
  readonly what: string
}

/** Looks through the lines that a branch adds for secrets. */
export async function findSecrets(
  yard: Yard,
  from: string,
  to: string,
): Promise<{ findings: Finding[]; isCut: boolean }> {
  const args = ['diff-tree', '-r', '-p', '-U0', '--no-renames', '--no-ext-diff', '--no-textconv', '--no-color']
  const prefixes = ['--src-prefix=a/', '--dst-prefix=b/']
  const result = await yard.own.execute([...args, ...prefixes, from, to], { maxOutput: MAX_PATCH_BYTES })
  const findings: Finding[] = []
  let path = ''
  let isHeader = true
  for (const line of result.stdout.split('\n')) {
    if (line.startsWith('diff --git ')) isHeader = true
    else if (line.startsWith('@@ ')) isHeader = false
    else if (isHeader && line.startsWith('+++ ')) path = line.slice('+++ b/'.length).replace(/\t$/, '')
    else if (!isHeader && line.startsWith('+')) {
      const what = findingIn(line.slice(1))
      if (what !== undefined && !findings.some((each) => each.path === path)) findings.push({ path, what })
    }
  }
  return { findings, isCut: result.exceeded !== undefined || result.exitCode !== 0 }
}

function findingIn(line: string): string | undefined {
  const [name] =
    SECRET_FORMATS.find(([, pattern]) => new RegExp(pattern.source, pattern.flags.replace('g', '')).test(line)) ?? []
  return name
}
