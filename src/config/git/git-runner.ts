import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'

export interface GitRunnerOptions {
  readonly deadlines: Deadlines
  readonly env: Readonly<Record<string, string | undefined>>
  /** Makes the words that start a program confined to folders; absent where this system cannot. */
  readonly confine?: ((program: string, args: readonly string[], within: GitFolders) => string[]) | undefined
}

/** The folders that a git command needs, besides the system. */
export interface GitFolders {
  readonly read: readonly string[]
  readonly write: readonly string[]
}

export interface GitCommandOptions {
  /** Milliseconds after which the command is killed. */
  readonly timeout: number
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Kills the command; `run` then throws the signal's reason. */
  readonly signal?: AbortSignal
  /** Reads no configuration of the user and the machine: no filters, no rewritten addresses, no helpers. */
  readonly isolated?: boolean
  /** Confines the command to these folders: agents may have written what git finds in them, and which programs it runs. */
  readonly within?: GitFolders
  /** The bytes of output after which the command is killed. */
  readonly maxOutput?: number
  /** Standard input of git; empty when absent. Not for a command with `maxFileSize`. */
  readonly input?: Uint8Array | ReadableStream<Uint8Array>
  /** Decoding of its output: `latin1` preserves every byte, for file names that are not UTF-8. */
  readonly encoding?: 'utf8' | 'latin1'
  /** Receives its output piece by piece in place of `stdout`; the command is killed once this returns false. */
  readonly onOutput?: (bytes: Uint8Array) => boolean
  /**
   * The bytes that no file may grow over which git or a helper of it writes. Such a command ends with this process,
   * however that ends, so that no command keeps writing without a limit.
   */
  readonly maxFileSize?: number
}

export interface GitResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
  /** Reason it was killed, if it was. */
  readonly exceeded?: 'time' | 'output'
}

const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/** Programs that a repository's own configuration names are never run. */
const SAFE_CONFIG = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0']

/** Variables of the user's environment that git reads. Commands have them only if they are given to them. */
export interface UserVariables {
  /** Where git finds the user's configuration. */
  readonly configuration: Readonly<Record<string, string>>
  /** How git reaches remotes. */
  readonly remotes: Readonly<Record<string, string>>
}

const CONFIGURATION = /^GIT_CONFIG_(?:GLOBAL|SYSTEM|NOSYSTEM|PARAMETERS|COUNT|(?:KEY|VALUE)_\d+)$/
const REMOTES = /^GIT_(?:SSH|SSH_COMMAND|SSH_VARIANT|ASKPASS|SSL_\w+|PROXY_\w+|HTTP_PROXY_AUTHMETHOD|HTTP_USER_AGENT)$/

/** Runs every git command of the program: without prompts, without hooks, and bounded in time. */
export class GitRunner {
  readonly user: UserVariables
  readonly #deadlines: Deadlines
  readonly #path: string
  readonly #env: Readonly<Record<string, string | undefined>>
  readonly #confine: GitRunnerOptions['confine']

  constructor({ deadlines, env, confine }: GitRunnerOptions) {
    this.#deadlines = deadlines
    this.#confine = confine
    this.#path = env.PATH ?? ''
    this.#env = gitEnvironment(env)
    this.user = { configuration: matching(env, CONFIGURATION), remotes: matching(env, REMOTES) }
  }

  /** True if there is a git to run. */
  get isInstalled(): boolean {
    return this.#program !== null
  }

  /** True if files that are in Git LFS can be checked out. */
  get hasLfs(): boolean {
    return Bun.which('git-lfs', { PATH: this.#path }) !== null
  }

  /** Runs a command to its end; one that is killed for a bound ends with a status other than 0. */
  async run(args: readonly string[], options: GitCommandOptions): Promise<GitResult> {
    const { timeout, cwd, env, signal, isolated = false, within, maxOutput = MAX_OUTPUT_BYTES, maxFileSize } = options
    const { input = 'ignore', encoding = 'utf8', onOutput } = options
    const program = this.#program
    if (!program) throw new AppError('service-unavailable', 'there is no git on the PATH; install it')
    signal?.throwIfAborted()
    const words = [...SAFE_CONFIG, ...args]
    const command = within && this.#confine ? this.#confine(program, words, within) : [program, ...words]
    const isBounded = maxFileSize !== undefined
    const child = Bun.spawn(isBounded ? bounded(command, maxFileSize) : command, {
      ...{ stdin: isBounded ? 'pipe' : input, stdout: 'pipe', stderr: 'pipe', detached: true },
      ...(cwd !== undefined && { cwd }),
      env: { ...this.#env, ...(isolated && ISOLATED), ...env },
    })
    let exceeded: GitResult['exceeded']
    const kill = () => killGroup(child)
    const stop = (bound: 'time' | 'output') => {
      exceeded ??= bound
      kill()
    }
    const deadline = this.#deadlines.after(timeout, () => stop('time'))
    signal?.addEventListener('abort', kill, { once: true })
    try {
      const read = (stream: ReadableStream<Uint8Array>) =>
        readBounded(stream, { limit: maxOutput, encoding }, () => stop('output'))
      const output = onOutput ? passOn(child.stdout, onOutput, () => stop('output')) : read(child.stdout)
      const [exitCode, stdout, stderr] = await Promise.all([child.exited, output, read(child.stderr)])
      signal?.throwIfAborted()
      return { exitCode: exceeded ? exitCode || 1 : exitCode, stdout, stderr, ...(exceeded && { exceeded }) }
    } finally {
      deadline.cancel()
      signal?.removeEventListener('abort', kill)
      if (isBounded && typeof child.stdin === 'object') void child.stdin.end()
    }
  }

  get #program(): string | null {
    return Bun.which('git', { PATH: this.#path })
  }
}

/** The input of this script ends when the process that started it does; it then ends its whole group. */
const BOUNDED = `
trap "" XFSZ
ulimit -f "$0" 2>/dev/null
exec 3<&0
"$@" 3<&- </dev/null &
command=$!
{ read -r _ <&3; kill -KILL 0; } >/dev/null 2>&1 &
watch=$!
exec 3<&-
wait "$command"
status=$?
kill -KILL "$watch"
exit "$status"
`

/** Under a limit that the system keeps, where none is lower already: writing fails over it. Shells count it in blocks of 512 bytes. */
const bounded = (command: readonly string[], bytes: number): string[] => [
  ...['/bin/sh', '-c', BOUNDED, String(Math.ceil(bytes / 512))],
  ...command,
]

/** An environment in which git knows no configuration but what it is given in its arguments. */
const ISOLATED = {
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_ATTR_NOSYSTEM: '1',
  GIT_LFS_SKIP_SMUDGE: '1',
}

/** Kills git and the helpers that it started, which may hold its output open. */
function killGroup(child: Pick<Bun.Subprocess, 'pid' | 'kill'>): void {
  try {
    process.kill(-child.pid, 'SIGKILL')
  } catch {
    // It ended meanwhile, or this system knows no groups.
    child.kill('SIGKILL')
  }
}

async function passOn(
  stream: ReadableStream<Uint8Array>,
  take: (bytes: Uint8Array) => boolean,
  onRefused: () => void,
): Promise<string> {
  for await (const chunk of stream) {
    if (take(chunk)) continue
    onRefused()
    break
  }
  return ''
}

async function readBounded(
  stream: ReadableStream<Uint8Array>,
  { limit, encoding }: { limit: number; encoding: 'utf8' | 'latin1' },
  onExceeded: () => void,
): Promise<string> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of stream) {
    if (bytes < limit) chunks.push(chunk.subarray(0, limit - bytes))
    bytes += chunk.length
    if (bytes > limit) onExceeded()
  }
  return Buffer.concat(chunks).toString(encoding)
}

/** A remote may say anything. */
const MAX_CAUSE = 500
/** Messages of git about consequences of an earlier failure. */
const CONSEQUENCES =
  /^fatal: (?:could not read from remote repository|early eof|(?:fetch-pack: )?invalid index-pack output|index-pack failed|unpack-objects failed|the remote end hung up unexpectedly|unable to checkout working tree|the remote did not send all necessary objects|remote did not send all necessary objects|protocol error|clone of .* failed|failed to write object|expected .* after)/i
/** Further messages of git. */
const BESIDE =
  /^(?:cloning into|submodule path|warning: (?!.*(?:no space|permission denied))|hint: |please make sure you have the correct access|and the repository exists|you can inspect what was checked out|and retry with|remote: (?:enumerating|counting|compressing|total|$)|receiving objects|resolving deltas|updating files|connection closed by remote host$|\s*$)/i

/** Cause of a failure in git's output, without its consequences. */
export function gitErrorMessage({ stderr, exitCode, exceeded }: GitResult): string {
  if (exceeded === 'time') return 'git timed out and was stopped'
  const lines = stderr
    .split(/[\n\r]/)
    .map((line) => line.trim())
    .filter((line) => !BESIDE.test(line))
  const causes = lines.filter((line) => !CONSEQUENCES.test(line))
  const cause =
    causes.find((line) => line.startsWith('fatal: ')) ??
    causes.find((line) => line.startsWith('error: ')) ??
    causes.find((line) => line.startsWith('remote: ')) ??
    causes.at(-1) ??
    lines.at(-1)
  return (
    cause?.replace(/^(?:(?:fatal|error|remote): )+/, '').slice(0, MAX_CAUSE) || `git exited with status ${exitCode}`
  )
}

const matching = (env: GitRunnerOptions['env'], names: RegExp): Record<string, string> =>
  Object.fromEntries(
    Object.entries(env).flatMap(([name, value]) => (names.test(name) && value !== undefined ? [[name, value]] : [])),
  )

/** An environment in which git prompts for nothing and knows of no repository beforehand. */
const gitEnvironment = (env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(env).filter(([key]) => !key.startsWith('GIT_'))),
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  GIT_SSH_COMMAND: 'ssh -o BatchMode=yes -o ServerAliveInterval=30',
  SSH_ASKPASS: 'true',
  LC_ALL: 'C',
})
