import type { GitHelp } from './git.ts'
import { gitEnv } from './git.ts'
import type { Remote } from './remote.ts'

/** The longest a clone may take. */
const CEILING_MS = 20 * 60_000

/** Hands git the credentials through its environment, so that they stand in no argument and no file. */
const HELPER = '!f() { printf "username=%s\\npassword=%s\\n" "$GC_GIT_USERNAME" "$GC_GIT_PASSWORD"; }; f'

/** Clones a repository into a folder that is not there yet; throws git's own last words when it cannot. */
export async function clone(remote: Remote, path: string, help: GitHelp, signal: AbortSignal): Promise<void> {
  const secret = remote.username !== undefined || remote.password !== undefined
  const settings = [
    'http.followRedirects=false',
    'credential.helper=',
    ...(secret ? [`credential.helper=${HELPER}`] : []),
  ]
  const words = [...settings.flatMap((one) => ['-c', one]), 'clone', '--quiet', '--', remote.url, path]
  const { code, errors } = await git(words, remote, help, signal)
  if (code === 0) return
  const last = errors.trim().split('\n').at(-1) ?? ''
  const said = remote.password ? last.replaceAll(remote.password, '…') : last
  throw new Error(said || `git ended with ${code}`)
}

/** The branch that is checked out in a clone; empty when none is. */
export async function headBranch(path: string, help: GitHelp, signal: AbortSignal): Promise<string> {
  const { output } = await git(['-C', path, 'symbolic-ref', '--short', '-q', 'HEAD'], undefined, help, signal)
  return output.trim()
}

async function git(words: string[], remote: Remote | undefined, { deadlines, env }: GitHelp, signal: AbortSignal) {
  const program = Bun.which('git', { PATH: env.PATH ?? '' })
  if (!program) throw new Error('there is no git on the PATH; install it')
  signal.throwIfAborted()
  const process = Bun.spawn([program, ...words], {
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    env: {
      ...gitEnv(env),
      GIT_ALLOW_PROTOCOL: 'http:https:ssh:git',
      GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
      GC_GIT_USERNAME: remote?.username ?? '',
      GC_GIT_PASSWORD: remote?.password ?? '',
    },
  })
  const end = () => process.kill('SIGKILL')
  const late = deadlines.after(CEILING_MS, end)
  signal.addEventListener('abort', end, { once: true })
  try {
    const texts = [new Response(process.stdout).text(), new Response(process.stderr).text()] as const
    const [code, output, errors] = await Promise.all([process.exited, ...texts])
    signal.throwIfAborted()
    return { code, output, errors }
  } finally {
    late.cancel()
    signal.removeEventListener('abort', end)
  }
}
