import { AppError } from '../../core/errors.ts'
import type { SessionHost } from '../../host/client/index.ts'
import {
  type CommandOutput,
  type Confinement,
  commandKey,
  type Exit,
  type OutputFile,
} from '../../host/protocol/index.ts'

/** A command to run in the session host. */
export interface HostedCommand {
  argv: string[]
  cwd: string
  env: Record<string, string>
  /** Number of bytes of each of its streams that are kept; absent where the last of both together is enough. */
  keep?: number
  /** File that also receives all its output. */
  log?: OutputFile
  /** Its sandbox; absent without one. */
  confine?: Confinement
}

/** The end of a command: its whole tree is gone. */
export interface CommandExit {
  name: string
  /** `lost` when something ended it that says nothing about it. */
  how: 'exited' | 'ended' | 'lost'
  exitCode: number | undefined
  signal: string | undefined
  /** Its last output. */
  output: string
  /** The same of each stream, where that was asked for; a command whose host was lost has none. */
  streams?: CommandOutput
  /** Milliseconds since 1970. */
  startedAt: number
  endedAt: number
}

interface HostedCommandsOptions {
  /** The city's name. */
  city: string
  /** Prefix of the names of these commands, such as `check`. */
  kind: string
  /** Milliseconds between TERM and KILL. */
  grace?: number
  host: Pick<SessionHost, 'start' | 'list' | 'end' | 'onExit' | 'follow'>
}

const GRACE_MS = 1_000

/** Commands of one kind that the session host runs for a city: they outlive the supervisor, and a name is started once. */
export class HostedCommands {
  readonly #prefix: string

  constructor(private readonly options: HostedCommandsOptions) {
    this.#prefix = commandKey(options.city, `${options.kind}/`)
  }

  /** Starts a command; one of this name that runs already is taken as started. Throws why it cannot be started. */
  async start(name: string, command: HostedCommand): Promise<{ pid: number; startedAt: string }> {
    const { host } = this.options
    const key = `${this.#prefix}${name}`
    const env = { ...command.env, GC_PROCESS_ID: key }
    try {
      return await host.start({ ...command, key, env, kind: 'command', cols: 80, rows: 24 })
    } catch (error) {
      const running = error instanceof AppError && error.code === 'session-conflict' ? await this.#find(key) : undefined
      if (running) return running
      throw error
    }
  }

  /** Those that run, and those whose exit is still to be received. */
  async list(): Promise<Map<string, { pid: number; startedAt: string }>> {
    const own = (await this.options.host.list()).filter(({ key }) => key.startsWith(this.#prefix))
    return new Map(own.map(({ key, pid, startedAt }) => [key.slice(this.#prefix.length), { pid, startedAt }]))
  }

  /** The names of those that run, and of those whose exit is still to be received. */
  async names(): Promise<Set<string>> {
    return new Set((await this.list()).keys())
  }

  /** Ends a command and all that it started; its exit is reported. */
  async end(name: string): Promise<void> {
    await this.options.host.end(`${this.#prefix}${name}`, { grace: this.options.grace ?? GRACE_MS })
  }

  /** Output of a command, from the oldest kept byte to its end. */
  async *follow(name: string, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    for await (const chunk of this.options.host.follow(`${this.#prefix}${name}`, 0, signal)) {
      if ('bytes' in chunk) yield chunk.bytes
    }
  }

  /** Calls the listener with every exit until it has resolved; returns how to unsubscribe. */
  onExit(listener: (exit: CommandExit) => Promise<void>): () => void {
    return this.options.host.onExit(async (exit) => {
      if (!exit.key.startsWith(this.#prefix)) return false
      await listener(toCommandExit(exit, exit.key.slice(this.#prefix.length)))
      return true
    })
  }

  async #find(key: string): Promise<{ pid: number; startedAt: string } | undefined> {
    return (await this.options.host.list()).find((hosted) => hosted.key === key)
  }
}

const toCommandExit = (
  { reason, exitCode, signal, lastOutput, streams, startedAt, endedAt }: Exit,
  name: string,
): CommandExit => ({
  ...{ name, exitCode, signal, output: lastOutput.join('\n'), ...(streams && { streams }) },
  how: reason === 'exited' || reason === 'ended' ? reason : 'lost',
  startedAt: Date.parse(startedAt),
  endedAt: Date.parse(endedAt),
})
