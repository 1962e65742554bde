import { readdirSync, readFileSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Deadlines } from '../../core/deadlines.ts'
import { findProgram } from '../../core/files.ts'
import { killProcessGroup } from '../../core/process-group.ts'
import type { ProcessTokens } from '../../http/process-tokens.ts'
import { parseJson } from '../../programs/entries/index.ts'
import type { CommandResult, Inspector } from '../../programs/parts/index.ts'

type Env = Readonly<Record<string, string | undefined>>

/** Options of a run command. */
export interface RunOptions {
  /** The folder it runs in; absent: the home folder. */
  readonly folder?: string
  /** After how many milliseconds it is killed. */
  readonly timeout?: number
  /** Purpose of the command, for the record. */
  readonly purpose?: string
}

const TIMEOUT_MS = 5000
const MAX_OUTPUT_LENGTH = 64 * 1024

const MAX_FILE_BYTES = 1024 * 1024

/** Inspects programs and their files in bounded time: on the PATH that agents are started with, then in the usual folders. */
export class ProgramInspector implements Inspector {
  readonly home: string
  readonly path: string
  readonly #running = new Set<number>()
  #isClosed = false

  constructor(
    readonly env: Env,
    private readonly deadlines: Deadlines,
    private readonly tokens: ProcessTokens,
  ) {
    this.home = env.HOME ?? '/'
    const userFolders = ['.local/bin', '.bun/bin', '.npm-global/bin', '.cargo/bin', 'bin'].map((name) =>
      join(this.home, name),
    )
    const own = (env.PATH ?? '').split(delimiter).filter(isAbsolute)
    const usual = ['/usr/local/bin', '/opt/homebrew/bin', '/usr/bin', '/bin', ...userFolders]
    this.path = [...new Set([...own, ...usual])].join(delimiter)
  }

  /** The path of a program; undefined when it is not installed. */
  findProgram(program: string): string | undefined {
    return findProgram(program, this.path, this.home)
  }

  /** The text of a settings file; undefined when it cannot be read or is too large. */
  readFile(path: string): string | undefined {
    try {
      const stats = statSync(path)
      return stats.isFile() && stats.size <= MAX_FILE_BYTES ? readFileSync(path, 'utf8') : undefined
    } catch {
      return undefined
    }
  }

  /** The value of a JSON file: undefined when it does not exist, null when it is not JSON. */
  readJson(path: string): unknown {
    const text = this.readFile(path)
    return text === undefined ? undefined : (parseJson(text) ?? null)
  }

  listFolder(path: string): readonly string[] {
    try {
      return readdirSync(path)
    } catch {
      return []
    }
  }

  /** Runs a command; it and its children are killed when it does not end in time. */
  async run([program = '', ...args]: readonly string[], options: RunOptions = {}): Promise<CommandResult> {
    const { purpose = 'readiness check' } = options
    const path = this.#isClosed ? undefined : this.findProgram(program)
    if (!path) return { code: undefined, stdout: '', timedOut: false }
    return this.tokens.use(`${purpose} of ${program}`, (identity) =>
      this.#run([path, ...args], { ...this.env, PATH: this.path, ...identity }, options),
    )
  }

  /** Kills what still runs, and runs nothing more. */
  close(): void {
    this.#isClosed = true
    for (const pid of this.#running) killProcessGroup(pid)
  }

  async #run(command: string[], env: Env, { folder, timeout: ms }: RunOptions): Promise<CommandResult> {
    const child = Bun.spawn(command, {
      ...{ env, cwd: folder ?? this.home, detached: true, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore' },
    })
    this.#running.add(child.pid)
    const { promise: timeout, resolve } = Promise.withResolvers<'timeout'>()
    const timer = this.deadlines.after(ms ?? TIMEOUT_MS, () => resolve('timeout'))
    const reader = child.stdout.getReader()
    const completed = Promise.all([child.exited, readOutput(reader)])
    const result = await Promise.race([completed, timeout])
    timer.cancel()
    this.#running.delete(child.pid)
    if (result !== 'timeout') return { code: result[0], stdout: result[1], timedOut: false }
    killProcessGroup(child.pid)
    await reader.cancel()
    return { code: undefined, stdout: '', timedOut: true }
  }
}

interface ChunkReader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>
}

async function readOutput(reader: ChunkReader): Promise<string> {
  const decoder = new TextDecoder()
  let output = ''
  for (;;) {
    const { value, done } = await reader.read()
    if (done) return output
    if (output.length < MAX_OUTPUT_LENGTH) output += decoder.decode(value, { stream: true })
  }
}
