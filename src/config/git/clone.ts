import { type GitRunner, gitErrorMessage } from './git-runner.ts'
import { type RemoteAccess, remoteCommand, withoutSecrets } from './remote-access.ts'

const TIMEOUT_MS = 20 * 60_000

/** Clones a repository into a folder that does not exist yet; throws git's last line when it fails. */
export async function cloneRepository(access: RemoteAccess, path: string, git: GitRunner, signal: AbortSignal) {
  const { settings, env } = remoteCommand(access)
  const args = [...settings, 'clone', '--quiet', '--', access.remote.url, path]
  const result = await git.run(args, {
    ...{ timeout: TIMEOUT_MS, signal },
    env: { ...env, GIT_ALLOW_PROTOCOL: 'http:https:ssh:git' },
  })
  if (result.exitCode !== 0) throw new Error(withoutSecrets(gitErrorMessage(result), access.remote))
}

/** The branch that is checked out in a repository; empty when none is. */
export async function readHeadBranch(path: string, git: GitRunner, signal: AbortSignal): Promise<string> {
  const args = ['-C', path, 'symbolic-ref', '--short', '-q', 'HEAD']
  const { stdout } = await git.run(args, { timeout: TIMEOUT_MS, signal })
  return stdout.trim()
}
