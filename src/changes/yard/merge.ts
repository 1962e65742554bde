import { AppError } from '../../core/errors.ts'
import type { Yard } from './yard.ts'

/** A commit in the author's and the committer's name, made at a fixed time: the same parts are the same commit. */
const PRETENDED = { GIT_AUTHOR_DATE: '@0 +0000', GIT_COMMITTER_DATE: '@0 +0000' }
const MAX_HUNK_BYTES = 512 * 1024
/** Files in conflict that are named. */
export const MAX_CONFLICTS = 200

/** One place in which both sides changed a file. */
export interface ConflictHunk {
  readonly ours: string
  readonly ancestor: string
  readonly theirs: string
}

/** A file that cannot be merged. `ours` is the branch it was to land on, `theirs` the branch that was to land. */
export interface ConflictedFile {
  readonly path: string
  /** As git calls it: `content`, `add/add`, `modify/delete`, `rename/delete`, `binary`, `submodule`. */
  readonly kind: string
  readonly hunks: readonly ConflictHunk[]
}

export type MergeResult = { readonly tree: string } | Conflicts

export interface Conflicts {
  readonly conflicts: readonly ConflictedFile[]
  /** The tree of what could be merged; files in conflict have marks in it. */
  readonly marked: string
  /** The commit that the head conflicts with: the tip, with the parents that it was merged by. */
  readonly ours: string
}

export interface Merge {
  /** The commit that is merged into. */
  readonly tip: string
  readonly head: string
  /**
   * Heads that landed before, of which `head` is a continuation. A squash does not name them as its parents: the merge takes
   * place as if it did, so that what landed already is not merged a second time.
   */
  readonly landed: readonly string[]
}

/** Merges two commits without a working tree. */
export async function merge(yard: Yard, { tip, head, landed }: Merge): Promise<MergeResult> {
  const { own } = yard
  const ours = landed.length === 0 ? tip : await pretend(yard, tip, landed)
  const result = await own.execute(['merge-tree', '--write-tree', '-z', ours, head])
  const [tree = '', ...rest] = result.stdout.split('\0')
  if (result.exitCode === 0 && /^[0-9a-f]{40,64}$/.test(tree)) return { tree }
  if (result.exitCode !== 1 || !/^[0-9a-f]{40,64}$/.test(tree)) {
    throw new AppError('service-unavailable', `git merge-tree failed: ${result.stderr.trim().slice(0, 500)}`)
  }
  return { conflicts: await conflictsOf(yard, tree, rest), marked: tree, ours }
}

/** A commit with the files of `tip` that has the landed heads as further parents. */
const pretend = (yard: Yard, tip: string, landed: readonly string[]): Promise<string> =>
  yard
    .with(PRETENDED)
    .run('commit-tree', `${tip}^{tree}`, '-p', tip, ...landed.flatMap((head) => ['-p', head]), '-m', 'landed')

interface Stage {
  readonly mode: string
  readonly stage: string
}

/** Reads what merge-tree prints behind the tree: the stages of each file, an empty field, and messages. */
async function conflictsOf(yard: Yard, tree: string, fields: readonly string[]): Promise<ConflictedFile[]> {
  const end = fields.indexOf('')
  const stages = new Map<string, Stage[]>()
  for (const field of fields.slice(0, end)) {
    const [info = '', path = ''] = [field.slice(0, field.indexOf('\t')), field.slice(field.indexOf('\t') + 1)]
    const [mode = '', , stage = ''] = info.split(' ')
    stages.set(path, [...(stages.get(path) ?? []), { mode, stage }])
  }
  const types = typesOf(fields.slice(end + 1))
  const paths = [...new Set([...stages.keys(), ...types.keys()])].sort().slice(0, MAX_CONFLICTS)
  const files: ConflictedFile[] = []
  for (const path of paths) {
    const kind = kindOf(types.get(path), stages.get(path) ?? [])
    const hasHunks = kind === 'content' || kind === 'add/add'
    files.push({ path, kind, hunks: hasHunks ? await hunksIn(yard, `${tree}:${path}`) : [] })
  }
  return files
}

/** The conflicts that messages name, by path. */
function typesOf(fields: readonly string[]): Map<string, string> {
  const types = new Map<string, string>()
  for (let at = 0; at < fields.length - 1; ) {
    const count = Number(fields[at])
    if (!Number.isInteger(count) || count < 0) break
    const paths = fields.slice(at + 1, at + 1 + count)
    const [, type] = /^CONFLICT \((.*)\)/.exec(fields[at + 1 + count] ?? '') ?? []
    if (type !== undefined) for (const path of paths.slice(0, 1)) types.set(path, type)
    at += count + 3
  }
  return types
}

function kindOf(type: string | undefined, stages: readonly Stage[]): string {
  if (stages.some(({ mode }) => mode === '160000')) return 'submodule'
  const hasAncestor = stages.some(({ stage }) => stage === '1')
  if (type === undefined || type === 'contents') return hasAncestor || stages.length === 0 ? 'content' : 'add/add'
  return type
}

async function hunksIn(yard: Yard, object: string): Promise<ConflictHunk[]> {
  const { exitCode, stdout } = await yard.own.execute(['cat-file', 'blob', object], { maxOutput: MAX_HUNK_BYTES })
  return exitCode === 0 ? parseHunks(stdout) : []
}

/** The conflicts that git marked in a file. */
export function parseHunks(text: string): ConflictHunk[] {
  const hunks: ConflictHunk[] = []
  let part: 'ours' | 'ancestor' | 'theirs' | undefined
  let lines = { ours: '', ancestor: '', theirs: '' }
  for (const line of text.split(/(?<=\n)/)) {
    if (part === undefined) {
      if (!line.startsWith('<<<<<<< ')) continue
      part = 'ours'
      lines = { ours: '', ancestor: '', theirs: '' }
    } else if (part === 'ours' && line.startsWith('||||||| ')) part = 'ancestor'
    else if (part === 'ancestor' && /^=======\r?\n?$/.test(line)) part = 'theirs'
    else if (part === 'theirs' && line.startsWith('>>>>>>> ')) {
      hunks.push(lines)
      part = undefined
    } else lines[part] += line
  }
  return hunks
}
