import { AppError } from '../../core/errors.ts'
import { toText } from './changed-paths.ts'
import type { DiffGit } from './diff-git.ts'
import type { CommitChange } from './schema.ts'

/** Maximum commits of a round whose rewritten commits are paired. */
const MAX_COMPARED = 200
const MAX_COMMITS = 10_000
const MAX_OUTPUT_BYTES = 8 * 1024 * 1024

/** The commits of a branch at one time: those of `head` that `base` does not have. */
export interface Round {
  readonly base: string
  readonly head: string
}

/**
 * The tree that the second round is compared with to see what is new in it: the files of the first, on the base of the second.
 * Files that do not merge are as the first round had them.
 */
export async function startOfRound(git: DiffGit, first: Round, second: Round): Promise<string> {
  if (first.base === second.base) return first.head
  const chunks = await git.output(
    ['merge-tree', '--write-tree', '-z', '--name-only', '--no-messages', second.base, first.head],
    MAX_OUTPUT_BYTES,
    {
      allow: [1],
    },
  )
  const [tree = '', ...conflicts] = chunks.toString('latin1').split('\0').filter(Boolean)
  if (!/^[0-9a-f]{40,64}$/.test(tree))
    throw new AppError('service-unavailable', 'git could not merge the rounds of a change')
  return conflicts.length === 0 ? tree : await withFilesOf(git, tree, first.head, conflicts)
}

/** A tree in which some files are those of a commit. */
async function withFilesOf(git: DiffGit, tree: string, commit: string, paths: readonly string[]): Promise<string> {
  const wanted = new Set(paths)
  const entries: string[] = []
  const absent = new Set(paths)
  await git.fields(['ls-tree', '-r', '-z', commit], (entry) => {
    const path = entry.slice(entry.indexOf('\t') + 1)
    if (!wanted.has(path)) return true
    entries.push(entry)
    absent.delete(path)
    return true
  })
  const removed = [...absent].map((path) => `0 ${'0'.repeat(tree.length)}\t${path}`)
  return await git.writeTree(tree, [...removed, ...entries])
}

/** The commits of two rounds, paired where they are the same or nearly so. */
export async function compareCommits(git: DiffGit, first: Round, second: Round): Promise<CommitChange[]> {
  const [before, after] = await Promise.all([commitsOf(git, first), commitsOf(git, second)])
  const known = new Set(before.map(({ id }) => id))
  const kept = new Set(after.flatMap(({ id }) => (known.has(id) ? [id] : [])))
  if (kept.size === before.length || Math.max(before.length, after.length) > MAX_COMPARED) {
    const gone = before
      .filter(({ id }) => !kept.has(id))
      .map(({ id, subject }) => ({ state: 'gone' as const, old: id, subject }))
    return [
      ...after.map(({ id, subject }) =>
        kept.has(id)
          ? { state: 'same' as const, old: id, new: id, subject }
          : { state: 'new' as const, new: id, subject },
      ),
      ...gone,
    ]
  }
  return await pairCommits(git, first, second, [...before, ...after])
}

interface Commit {
  readonly id: string
  readonly subject: string
}

async function commitsOf(git: DiffGit, { base, head }: Round): Promise<Commit[]> {
  const commits: Commit[] = []
  const args = [
    'log',
    '-z',
    '--reverse',
    '--no-show-signature',
    '--no-color',
    '--no-merges',
    '--format=%H %s',
    '-n',
    String(MAX_COMMITS),
  ]
  await git.fields([...args, `${base}..${head}`], (line) => {
    commits.push({ id: line.slice(0, line.indexOf(' ')), subject: toText(line.slice(line.indexOf(' ') + 1)).text })
    return true
  })
  return commits
}

const PAIR = /^ *(?:\d+|-): +([0-9a-f]+|-+) ([=!<>]) +(?:\d+|-): +([0-9a-f]+|-+)/
const STATES: Readonly<Record<string, CommitChange['state']>> = { '=': 'same', '!': 'changed', '<': 'gone', '>': 'new' }

async function pairCommits(
  git: DiffGit,
  first: Round,
  second: Round,
  commits: readonly Commit[],
): Promise<CommitChange[]> {
  const subjects = new Map(commits.map(({ id, subject }) => [id, subject]))
  const args = ['range-diff', '--no-patch', '--no-color', '--no-abbrev', '--no-ext-diff', '--no-notes']
  const range = ({ base, head }: Round) => `${base}..${head}`
  const output = await git.output([...args, range(first), range(second)], MAX_OUTPUT_BYTES)
  return output
    .toString('utf8')
    .split('\n')
    .flatMap((line) => {
      const [, old = '-', sign = '', next = '-'] = PAIR.exec(line) ?? []
      const state = STATES[sign]
      if (!state) return []
      const sides = { ...(!old.startsWith('-') && { old }), ...(!next.startsWith('-') && { new: next }) }
      return [{ state, ...sides, subject: subjects.get(sides.new ?? sides.old ?? '') ?? '' }]
    })
}
