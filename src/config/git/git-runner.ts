import type { Deadlines } from '../../core/deadlines.ts'
import { AppError } from '../../core/errors.ts'

export interface GitRunnerOptions {
  readonly deadlines: Deadlines
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface GitCommandOptions {
  /** Milliseconds after which the command is killed. */
  readonly timeout: number
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
  /** Kills the command; `run` then throws the signal's reason. */
  readonly signal?: AbortSignal
}

export interface GitResult {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

/** Programs that a repository's own configuration names are never run. */
const SAFE_CONFIG = ['-c', 'core.fsmonitor=false', '-c', 'core.hooksPath=/dev/null', '-c', 'gc.auto=0']

/** Runs every git command of the program: without prompts, without hooks, and bounded in time. */
export class GitRunner {
  readonly #deadlines: Deadlines
  readonly #path: string
  readonly #env: Readonly<Record<string, string | undefined>>

  constructor({ deadlines, env }: GitRunnerOptions) {
    this.#deadlines = deadlines
    this.#path = env.PATH ?? ''
    this.#env = gitEnvironment(env)
  }

  /** Whether there is a git to run. */
  get isInstalled(): boolean {
    return this.#program !== null
  }

  /** Runs a command to its end; one that is killed for its timeout ends with a status other than 0. */
  async run(args: readonly string[], { timeout, cwd, env, signal }: GitCommandOptions): Promise<GitResult> {
    const program = this.#program
    if (!program) throw new AppError('service-unavailable', 'there is no git on the PATH; install it')
    signal?.throwIfAborted()
    const child = Bun.spawn([program, ...SAFE_CONFIG, ...args], {
      ...{ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' },
      ...(cwd !== undefined && { cwd }),
      env: { ...this.#env, ...env },
    })
    const kill = () => child.kill('SIGKILL')
    const deadline = this.#deadlines.after(timeout, kill)
    signal?.addEventListener('abort', kill, { once: true })
    try {
      const output = [new Response(child.stdout).text(), new Response(child.stderr).text()] as const
      const [exitCode, stdout, stderr] = await Promise.all([child.exited, ...output])
      signal?.throwIfAborted()
      return { exitCode, stdout, stderr }
    } finally {
      deadline.cancel()
      signal?.removeEventListener('abort', kill)
    }
  }

  get #program(): string | null {
    return Bun.which('git', { PATH: this.#path })
  }
}

/** The last line that git wrote about a failure. */
export function gitErrorMessage({ stderr, exitCode }: GitResult): string {
  return stderr.trim().split('\n').at(-1) || `git ended with status ${exitCode}`
}

/** An environment in which git prompts for nothing and knows of no repository beforehand. */
const gitEnvironment = (env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(env).filter(([key]) => !key.startsWith('GIT_'))),
  GIT_TERMINAL_PROMPT: '0',
  GIT_ASKPASS: 'true',
  GIT_SSH_COMMAND: 'ssh -o BatchMode=yes',
  SSH_ASKPASS: 'true',
  LC_ALL: 'C',
})
