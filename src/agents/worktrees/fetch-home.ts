import { join } from 'node:path'
import { AppError } from '../../core/errors.ts'
import type { Repository } from './repository.ts'
import type { WorktreeRow } from './table.ts'

/** Branches that a session made besides its own, of which this many are fetched. */
const MAX_OTHERS = 50
/** What comes from an agent is checked before it is part of the rig's history. */
const CHECKED = ['-c', 'fetch.fsckObjects=true', '-c', 'transfer.fsckObjects=true']

interface FetchOptions {
  clone: Repository
  rig: Repository
  /** An empty folder that both can reach. */
  incoming: string
  row: WorktreeRow
}

interface Ref {
  /** What the clone calls it. */
  name: string
  commit: string
}

/**
 * Brings what a session committed into the repository of its rig: its branch under its own name, its other branches and a
 * commit on none as `<branch>.<name>`. It travels as a bundle, so that neither repository runs a program of the other.
 * Answers the commit of the session's branch in the rig.
 */
export async function fetchHome({ clone, rig, incoming, row }: FetchOptions): Promise<string> {
  const own = `refs/heads/${row.branch}`
  const tip = await rig.commitOf(own)
  const all = await refsOf(clone)
  const mine = all.find(({ name, commit }) => name === own && commit !== tip)
  const others = await onlyNew(
    clone,
    all.filter(({ name }) => name !== own),
  )
  const force = tip !== '' && tip === row.home ? '+' : ''
  const bundled = [...(mine ? await onlyNew(clone, [mine]) : []), ...others].map(({ name }) => name)
  if (mine && force === '') await requireAhead(clone, rig, row.branch, tip, mine.commit)
  if (mine && !bundled.includes(own)) await rig.run('branch', '-q', '--no-track', '-f', row.branch, mine.commit)
  if (bundled.length === 0) return rig.commitOf(own)
  const file = join(incoming, 'work.bundle')
  await clone.run('bundle', 'create', '-q', file, ...bundled, '--not', '--remotes=rig')
  const targets = bundled.map((name) => (name === own ? `${force}${own}:${own}` : `+${name}:${own}.${shortName(name)}`))
  await rig.run(
    ...CHECKED,
    'fetch',
    '-q',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-recurse-submodules',
    file,
    ...targets,
  )
  return rig.commitOf(own)
}

/** The branches of a clone, and `HEAD` where it is on none. */
async function refsOf(clone: Repository): Promise<Ref[]> {
  const lines = await clone.run('for-each-ref', '--format=%(refname) %(objectname)', 'refs/heads')
  const branches = lines
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ name: line.slice(0, line.indexOf(' ')), commit: line.slice(line.indexOf(' ') + 1) }))
  const isOnBranch = (await clone.try('symbolic-ref', '-q', 'HEAD')) !== ''
  const head = isOnBranch ? '' : await clone.commitOf('HEAD')
  const isKnown = head === '' || branches.some(({ commit }) => commit === head)
  return isKnown ? branches : [...branches, { name: 'HEAD', commit: head }]
}

/** Those that hold commits which the rig did not have when the clone last asked it. */
async function onlyNew(clone: Repository, refs: readonly Ref[]): Promise<Ref[]> {
  const found: Ref[] = []
  for (const ref of refs) {
    if ((await clone.run('rev-list', '-n', '1', ref.commit, '--not', '--remotes=rig')) !== '') found.push(ref)
  }
  if (found.length <= MAX_OTHERS) return found
  throw new AppError(
    'service-unavailable',
    `${clone.path} has ${found.length} branches of its own; gc fetches ${MAX_OTHERS}`,
  )
}

/** Somebody else's commits on the session's branch are not replaced. The clone has the rig's objects, too. */
async function requireAhead(clone: Repository, rig: Repository, branch: string, tip: string, commit: string) {
  if (tip === '' || (await clone.try('merge-base', tip, commit)) === tip) return
  const what = `${branch} was changed in ${rig.path}`
  throw new AppError('conflict-wrong-state', `${what}; give that another name (git branch -m), then fetch again`)
}

const shortName = (ref: string): string => (ref === 'HEAD' ? 'head' : ref.slice('refs/heads/'.length))
