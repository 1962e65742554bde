import type { GitRunner } from '../../config/git/index.ts'

/** What the user's own configuration has on reaching remotes, and on signing. Nothing else of it is used. */
const REACHING = '^(credential|http|url|ssh)\\.|^core\\.sshcommand$'
const SIGNING = '^(gpg\\.|user\\.signingkey$)'

type Settings = readonly (readonly [string, string])[]

async function readSettings(git: GitRunner, folder: string, pattern: string): Promise<Settings> {
  const args = ['config', '--null', '--get-regexp', pattern]
  const { exitCode, stdout } = await git.run(args, { timeout: 10_000, cwd: folder, env: { GIT_DIR: folder } })
  if (exitCode !== 0) return []
  return stdout
    .split('\0')
    .filter(Boolean)
    .map((entry) => {
      const end = entry.indexOf('\n')
      // A key without a value is true.
      return end < 0 ? ([entry, 'true'] as const) : ([entry.slice(0, end), entry.slice(end + 1)] as const)
    })
}

/** The user's settings for remotes: credential helpers, proxies, rewritten addresses. `folder` is a repository of gc's own. */
export const reachingSettings = (git: GitRunner, folder: string): Promise<Settings> =>
  readSettings(git, folder, REACHING)

/** The user's settings for signatures. */
export const signingSettings = (git: GitRunner, folder: string): Promise<Settings> => readSettings(git, folder, SIGNING)
