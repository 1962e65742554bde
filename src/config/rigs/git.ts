import type { Deadlines } from '../../core/deadlines.ts'
import type { GitStatus } from './schema.ts'

/** What asking git needs. */
export interface GitHelp {
  readonly deadlines: Deadlines
  readonly env: Readonly<Record<string, string | undefined>>
}

/** Git may be slow on a large or far disk; a list of rigs does not wait longer for it. */
const BUDGET_MS = 3000

/** The state of the repository a folder is in; undefined when it is in none, or git does not answer in time. */
export async function gitStatus(path: string, { deadlines, env }: GitHelp): Promise<GitStatus | undefined> {
  const git = Bun.which('git', { PATH: env.PATH ?? '' })
  if (!git) return undefined
  // What a repository's own configuration would run is not run for looking at it.
  const quiet = ['--no-optional-locks', '-c', 'core.fsmonitor=false']
  const process = Bun.spawn([git, ...quiet, 'status', '--porcelain=v2', '--branch', '-z', '--', '.'], {
    cwd: path,
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
    env: gitEnv(env),
  })
  const late = deadlines.after(BUDGET_MS, () => process.kill('SIGKILL'))
  try {
    const [text, code] = await Promise.all([new Response(process.stdout).text(), process.exited])
    return code === 0 ? parseStatus(text) : undefined
  } finally {
    late.cancel()
  }
}

/** An environment for git that asks nobody anything and knows of no repository beforehand. */
export const gitEnv = (env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(env).filter(([key]) => !key.startsWith('GIT_'))),
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  SSH_ASKPASS: 'true',
  LC_ALL: 'C',
})

/** Reads `git status --porcelain=v2 --branch -z`. */
export function parseStatus(text: string): GitStatus {
  const status = { branch: '', clean: true, changed_files: 0, ahead: 0, behind: 0 }
  const lines = text.split('\0')
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? ''
    const [, ahead, behind] = /^# branch\.ab \+(\d+) -(\d+)$/.exec(line) ?? []
    if (ahead) Object.assign(status, { ahead: Number(ahead), behind: Number(behind) })
    if (line.startsWith('# branch.head ')) status.branch = line.slice(14).replace('(detached)', '')
    if (line === '' || line.startsWith('#') || line.startsWith('!')) continue
    status.changed_files++
    // A renamed file is followed by what it was called.
    if (line.startsWith('2 ')) at++
  }
  return { ...status, clean: status.changed_files === 0 }
}
