import type { CopiedCommit, Repository } from '../../agents/worktrees/index.ts'
import type { ChangeRow } from './table.ts'

/**
 * The commit where a change begins: where it left its target, or the commit that its session was on when it claimed the bead,
 * whichever is later. Undefined for a commit that adds nothing to it. A history of its own begins at a commit without files.
 */
export async function baseOf(
  { repository, own, commit, tipOf }: CopiedCommit,
  { kind, target, started }: Pick<ChangeRow, 'kind' | 'target' | 'started'>,
): Promise<string | undefined> {
  const common = async (other: string) => (other === '' ? '' : repository.try('merge-base', other, commit))
  const left = kind === 'worktree' ? await common(await tipOf(target)) : ''
  const claimed = await common(started ?? '')
  const base = await laterOf(repository, left, claimed)
  if (base === commit) return undefined
  return base || emptyCommit(own)
}

async function laterOf(repository: Repository, one: string, other: string): Promise<string> {
  if (one === '' || other === '' || one === other) return one || other
  const { exitCode } = await repository.execute(['merge-base', '--is-ancestor', one, other])
  return exitCode === 0 ? other : one
}

/** A commit without files, which is the same each time. */
async function emptyCommit(own: Repository): Promise<string> {
  const tree = (await own.read(['mktree'], { input: Buffer.alloc(0) })).trim()
  const env = { GIT_AUTHOR_DATE: '0 +0000', GIT_COMMITTER_DATE: '0 +0000' }
  return (await own.read(['commit-tree', tree, '-m', 'Nothing'], { env })).trim()
}
