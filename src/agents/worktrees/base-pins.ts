import type { GitRunner } from '../../config/git/index.ts'
import { type Lends, rigRepository } from './clones.ts'
import type { Repository } from './repository.ts'
import type { WorktreeRow } from './table.ts'

type Place = Pick<WorktreeRow, 'session' | 'rig' | 'repository' | 'createdAt' | 'kind'>

/** More tips than this are pinned without leaving out those that others contain. */
const MAX_COMPARED = 200

/**
 * Keeps in the repository of a rig what a clone borrows from it, also when every branch is deleted there and `git gc` runs. The
 * name of the ref has one part after `refs/`, as `refs/stash` has: `git push --mirror` leaves such refs out.
 */
export class BasePins {
  constructor(
    private readonly git: GitRunner,
    private readonly lends: Lends,
  ) {}

  /** Pins all that branches, tags and remotes of the rig have now, beside what was pinned before. */
  async pin(place: Place): Promise<void> {
    if (place.kind !== 'clone') return
    const rig = this.#rig(place)
    const ref = refOf(place)
    const before = await rig.commitOf(ref)
    const commits = await this.tips(place)
    const tips = await independent(rig, [...new Set([...commits, ...(before === '' ? [] : [before])])])
    const [only] = tips
    if (only === undefined) return
    const target = tips.length === 1 ? only : await join(rig, tips)
    if (target !== before) await rig.run('update-ref', ref, target)
  }

  /** The commits of the branches, tags and remotes of a rig; `without sessions` leaves out branches that gc made. */
  async tips(place: Place, which?: 'without sessions'): Promise<string[]> {
    const format = '--format=%(refname) %(objecttype) %(objectname) %(*objecttype) %(*objectname)'
    const listed = await this.#rig(place).run('for-each-ref', format, 'refs/heads', 'refs/tags', 'refs/remotes')
    return listed.split('\n').flatMap((line) => {
      const [name = '', type, object = '', peeledType, peeled = ''] = line.split(' ')
      if (which !== undefined && name.startsWith('refs/heads/gc/')) return []
      if (type === 'commit') return [object]
      return peeledType === 'commit' ? [peeled] : []
    })
  }

  async unpin(place: Place): Promise<void> {
    if (place.kind === 'clone') await this.#rig(place).try('update-ref', '-d', refOf(place))
  }

  #rig({ rig, repository }: Place): Repository {
    return rigRepository(this.git, repository, (objects) => this.lends(rig, objects))
  }
}

/** Its creation time separates it from worktrees of equally named sessions in other cities. */
const refOf = ({ session, createdAt }: Place): string => `refs/gc-${session}-${createdAt.toString(36)}`

/** Those commits that no other contains. */
async function independent(rig: Repository, commits: readonly string[]): Promise<string[]> {
  if (commits.length < 2 || commits.length > MAX_COMPARED) return [...commits]
  const found = await rig.try('merge-base', '--independent', ...commits)
  return found === '' ? [...commits] : found.split('\n').sort()
}

/** A commit without files that contains others. */
async function join(rig: Repository, commits: readonly string[]): Promise<string> {
  const tree = (await rig.read(['mktree'], { input: Buffer.alloc(0) })).trim()
  const who = 'gc <gc@localhost> 0 +0000'
  const parents = [...commits].sort().map((commit) => `parent ${commit}`)
  const lines = [
    `tree ${tree}`,
    ...parents,
    `author ${who}`,
    `committer ${who}`,
    '',
    'What a worktree of gc borrows',
    '',
  ]
  const text = lines.join('\n')
  return (await rig.read(['hash-object', '-t', 'commit', '-w', '--stdin'], { input: Buffer.from(text) })).trim()
}
