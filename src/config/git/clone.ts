import { type GitRunner, gitErrorMessage } from './git-runner.ts'
import type { Remote } from './remote.ts'

const TIMEOUT_MS = 20 * 60_000

/** Hands git the credentials through its environment, so that they stand in no argument and no file. */
const CREDENTIAL_HELPER = '!f() { printf "username=%s\\npassword=%s\\n" "$GC_GIT_USERNAME" "$GC_GIT_PASSWORD"; }; f'

/** Clones a repository into a folder that does not exist yet; throws git's last line when it fails. */
export async function cloneRepository(remote: Remote, path: string, git: GitRunner, signal: AbortSignal) {
  const hasCredentials = remote.username !== undefined || remote.password !== undefined
  const settings = [
    'http.followRedirects=false',
    'credential.helper=',
    ...(hasCredentials ? [`credential.helper=${CREDENTIAL_HELPER}`] : []),
  ]
  const args = [...settings.flatMap((setting) => ['-c', setting]), 'clone', '--quiet', '--', remote.url, path]
  const env = {
    GIT_ALLOW_PROTOCOL: 'http:https:ssh:git',
    GC_GIT_USERNAME: remote.username ?? '',
    GC_GIT_PASSWORD: remote.password ?? '',
  }
  const result = await git.run(args, { timeout: TIMEOUT_MS, env, signal })
  if (result.exitCode === 0) return
  const message = gitErrorMessage(result)
  throw new Error(remote.password ? message.replaceAll(remote.password, '…') : message)
}

/** The branch that is checked out in a repository; empty when none is. */
export async function readHeadBranch(path: string, git: GitRunner, signal: AbortSignal): Promise<string> {
  const args = ['-C', path, 'symbolic-ref', '--short', '-q', 'HEAD']
  const { stdout } = await git.run(args, { timeout: TIMEOUT_MS, signal })
  return stdout.trim()
}
