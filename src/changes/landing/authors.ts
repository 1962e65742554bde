import type { Yard } from '../yard/index.ts'
import type { LandingRows } from './rows.ts'
import type { Author } from './table.ts'

const MAX_PATHS = 10
const PER_PATH = 3
const FORMAT = '%H%x00%an%x00%s%x00%(trailers:key=Gc-Landing,valueonly,separator=%x2C)'

/** The commit at which a branch left its target; undefined without one. */
export async function startOf(yard: Yard, target: string, head: string): Promise<string | undefined> {
  return (await yard.own.try('merge-base', target, head)) || undefined
}

/**
 * The commits of a target that changed some files since a commit, newest first. The landing of a commit is known by its
 * trailer, and counts only if gc recorded that it landed as that commit.
 */
export async function authorsOf(
  yard: Yard,
  rows: Pick<LandingRows, 'find'>,
  { since, target, paths }: { since: string | undefined; target: string; paths: readonly string[] },
): Promise<Author[]> {
  const found: Author[] = []
  const git = yard.with({ GIT_LITERAL_PATHSPECS: '1' })
  for (const path of paths.slice(0, MAX_PATHS)) {
    const range = since === undefined ? [target] : [target, '--not', since]
    const log = await git.try(
      'log',
      '--first-parent',
      '-n',
      String(PER_PATH),
      `--format=${FORMAT}`,
      ...range,
      '--',
      path,
    )
    for (const line of log.split('\n').filter(Boolean)) {
      const [commit = '', name = '', subject = '', trailer = ''] = line.split('\0')
      const row = rows.find(trailer.split('/').at(-1) ?? '')
      const known = row?.merged === commit ? row : undefined
      found.push({
        ...{ path, commit, name, subject },
        ...(known && { landing: known.id }),
        ...(known?.bead != null && { bead: known.bead }),
        ...(known?.session != null && { session: known.session }),
      })
    }
  }
  return found
}
