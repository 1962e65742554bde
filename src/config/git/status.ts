import type { GitRunner } from './git-runner.ts'
import { workingFolders } from './repository-folders.ts'

/** The state of a repository; the field names are those of the wire. */
export interface RepositoryStatus {
  branch: string
  clean: boolean
  changed_files: number
  ahead: number
  behind: number
}

/** Git may be slow on a large or remote disk; a list of rigs does not wait longer for it. */
const TIMEOUT_MS = 3000

/** The state of the repository that a folder, a place without links on the way, is in; undefined when it is in none, or git does not answer in time. */
export async function readRepositoryStatus(path: string, git: GitRunner): Promise<RepositoryStatus | undefined> {
  if (!git.isInstalled) return undefined
  const args = ['--no-optional-locks', 'status', '--porcelain=v2', '--branch', '-z', '--', '.']
  const { exitCode, stdout } = await git.run(args, {
    cwd: path,
    timeout: TIMEOUT_MS,
    within: { read: workingFolders(path), write: [] },
  })
  return exitCode === 0 ? parseStatus(stdout) : undefined
}

/** Parses `git status --porcelain=v2 --branch -z`. */
export function parseStatus(text: string): RepositoryStatus {
  const status = { branch: '', changed_files: 0, ahead: 0, behind: 0 }
  const lines = text.split('\0')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const [, ahead, behind] = /^# branch\.ab \+(\d+) -(\d+)$/.exec(line) ?? []
    if (ahead) Object.assign(status, { ahead: Number(ahead), behind: Number(behind) })
    if (line.startsWith('# branch.head ')) status.branch = line.slice(14).replace('(detached)', '')
    if (line === '' || line.startsWith('#') || line.startsWith('!')) continue
    status.changed_files++
    // A renamed file is followed by its former name.
    if (line.startsWith('2 ')) at++
  }
  return { ...status, clean: status.changed_files === 0 }
}
