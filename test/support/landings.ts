import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Branches to land, made by one command, and the oracle that judges the outcome of them. */

const GIT = Bun.which('git') ?? 'git'

const env = {
  ...{ PATH: process.env.PATH, GIT_CONFIG_GLOBAL: '/dev/null', GIT_AUTHOR_NAME: 'a', GIT_AUTHOR_EMAIL: 'a@b' },
  ...{ GIT_COMMITTER_NAME: 'a', GIT_COMMITTER_EMAIL: 'a@b' },
}

interface GitOptions {
  readonly input?: string
  /** The file of the index. */
  readonly index?: string
}

/** Runs git in a repository; its output without the last line break. Throws if it fails. */
export function git(cwd: string, words: readonly string[], { input = '', index = '' }: GitOptions = {}): string {
  const variables = index === '' ? env : { ...env, GIT_INDEX_FILE: index }
  const ran = Bun.spawnSync([GIT, '-C', cwd, ...words], { env: variables, stdin: Buffer.from(input) })
  if (ran.exitCode !== 0) throw new Error(`git ${words.join(' ')}: ${ran.stderr}`)
  return ran.stdout.toString().trim()
}

const succeeds = (cwd: string, words: readonly string[]): boolean =>
  Bun.spawnSync([GIT, '-C', cwd, ...words], { env }).exitCode === 0

type Files = Readonly<Record<string, string>>

export interface Branch {
  readonly name: string
  readonly files: Files
}

const data = (text: string): string => `data ${Buffer.byteLength(text)}\n${text}\n`

/** Makes branches of one commit each; those from nothing begin the history. */
export function writeBranches(rig: string, branches: readonly Branch[], from?: string): void {
  const parent = from === undefined ? '' : `from ${git(rig, ['rev-parse', from])}\n`
  const input = branches.map(({ name, files }) => {
    const changes = Object.entries(files).map(([path, text]) => `M 100644 inline ${path}\n${data(text)}`)
    const commit = `commit refs/heads/${name}\ncommitter a <a@b> 1700000000 +0000\n${data(`Add ${name}`)}`
    return [commit, parent, ...changes].join('')
  })
  git(rig, ['fast-import', '--quiet'], { input: input.join('') })
}

export interface Landed {
  readonly id: string
  readonly state: string
  readonly branch: string
  readonly head: string
  readonly merged?: string
}

/** Plays an owner: merges main into his branch, with the line of main and his own behind it. */
export function resolveConflict(rig: string, { branch, head }: Landed, path: string): void {
  git(rig, ['fetch', '-q', 'origin', 'main'])
  const main = git(rig, ['rev-parse', 'FETCH_HEAD'])
  const [first, theirs, ...rest] = git(rig, ['show', `${main}:${path}`]).split('\n')
  const index = join(rig, '.git', 'owner-index')
  const input = `${[first, `${theirs} ${branch}`, ...rest].join('\n')}\n`
  const blob = git(rig, ['hash-object', '-w', '--stdin'], { input })
  git(rig, ['read-tree', main], { index })
  git(rig, ['update-index', '--cacheinfo', `100644,${blob},${path}`], { index })
  const tree = git(rig, ['write-tree'], { index })
  const commit = git(rig, ['commit-tree', tree, '-p', head, '-p', main, '-m', 'Resolve'])
  git(rig, ['update-ref', `refs/heads/${branch}`, commit, head])
}

/** Counts of what must never happen. */
export interface Faults {
  /** Commits that the target had and lost. */
  readonly lost: number
  /** Landings that are on the target more than once. */
  readonly twice: number
  /** Landings that are said to have landed and are not there. */
  readonly invented: number
  /** Landings that changed other files than their branch. */
  readonly wrong: number
  /** Landings that are there and not said to be. */
  readonly unreported: number
  /** Landings that are still on their way when everything is over. */
  readonly forgotten: number
}

export const NO_FAULTS: Faults = { lost: 0, twice: 0, invented: 0, wrong: 0, unreported: 0, forgotten: 0 }

const ON_THEIR_WAY = ['submitted', 'queued', 'in_batch', 'waits_turn']

export const isOnItsWay = ({ state }: Pick<Landed, 'state'>): boolean => ON_THEIR_WAY.includes(state)

interface Evidence {
  readonly remote: string
  readonly branches: readonly Branch[]
  /** Commits that people pushed. */
  readonly persons: readonly string[]
  /** True if nothing is left to do. */
  readonly isOver: boolean
}

/** The commits of a remote's main, with the landing that each is of and the files that it changed. */
export function readRemote(remote: string): Map<string, { landing: string; paths: string[] }> {
  const format = '--format=%x01%H %(trailers:key=Gc-Landing,valueonly,separator=%x2C)'
  const entries = git(remote, ['log', '--name-only', format, 'main']).split('\x01').filter(Boolean)
  return new Map(
    entries.map((entry) => {
      const [line = '', ...paths] = entry.split('\n').filter(Boolean)
      const [commit = '', trailer = ''] = line.split(' ')
      return [commit, { landing: trailer.split('/')[1] ?? '', paths }]
    }),
  )
}

/** Reads what the remote has, and nothing else, and holds what gc says against it. */
export function judge(said: readonly Landed[], { remote, branches, persons, isOver }: Evidence): Faults {
  const commits = readRemote(remote)
  const there = [...commits.values()].map(({ landing }) => landing).filter(Boolean)
  const landed = said.filter(({ state }) => state === 'landed')
  const filesOf = new Map(branches.map(({ name, files }) => [name, Object.keys(files).join()]))
  const isWrong = ({ merged = '', branch }: Landed) => {
    const commit = commits.get(merged)
    return commit !== undefined && commit.paths.join() !== filesOf.get(branch)
  }
  return {
    lost: persons.filter((commit) => !commits.has(commit)).length + movesBack(remote),
    twice: there.length - new Set(there).size,
    invented: landed.filter(({ id, merged = '' }) => commits.get(merged)?.landing !== id).length,
    wrong: landed.filter(isWrong).length,
    unreported: isOver ? there.filter((id) => !landed.some((each) => each.id === id)).length : 0,
    forgotten: isOver ? said.filter(isOnItsWay).length : 0,
  }
}

/** Pushes by the remote's own record that left commits behind. */
function movesBack(remote: string): number {
  const file = join(remote, 'moves')
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n').filter(Boolean) : []
  return lines.filter((line) => {
    const [old = '', next = ''] = line.split(' ')
    return !succeeds(remote, ['merge-base', '--is-ancestor', old, next])
  }).length
}
