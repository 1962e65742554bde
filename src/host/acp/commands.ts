import {
  type CreateTerminalRequest,
  RequestError,
  type TerminalExitStatus,
  type TerminalOutputResponse,
} from '@agentclientprotocol/sdk'
import { AppError, errorMessage } from '../../core/errors.ts'
import { nextTick } from '../../core/event-loop.ts'
import type { Redactor } from '../../core/text/index.ts'
import { type Cgroup, kill, type Origin, readProcess } from '../process/index.ts'
import type { SessionFolder } from './session-folder.ts'

const MAX_COMMANDS = 64
const MAX_OUTPUT_BYTES = 1 << 20

/** The commands an agent has us run: in the session's folder, with its environment, and gone when it is. */
export class Commands {
  readonly #commands = new Map<string, Command>()
  /** Origins of its processes; leftovers end with the session. */
  readonly origins: Origin[] = []
  #count = 0

  constructor(
    private readonly folder: SessionFolder,
    private readonly env: Readonly<Record<string, string>>,
    private readonly session: { marks: string[]; cgroup: Cgroup | undefined },
    private readonly redactor: Redactor,
  ) {}

  create(request: CreateTerminalRequest): { terminalId: string } {
    if (this.#commands.size >= MAX_COMMANDS) {
      throw new AppError('invalid-request', `${MAX_COMMANDS} commands are kept already; release some`)
    }
    const id = `command-${++this.#count}`
    const cwd = request.cwd ? this.folder.resolveInside(request.cwd) : this.folder.path
    const env = { ...this.env, ...Object.fromEntries((request.env ?? []).map(({ name, value }) => [name, value])) }
    const { marks, cgroup } = this.session
    const where = { cwd, env, ...(cgroup && { cgroup: cgroup.path }) }
    const command = new Command(argvOf(request), where, marks, request.outputByteLimit ?? MAX_OUTPUT_BYTES)
    this.#commands.set(id, command)
    this.origins.push(command.origin)
    return { terminalId: id }
  }

  output(id: string): TerminalOutputResponse {
    const { output, ...rest } = this.#get(id).shown
    return { output: this.redactor.redact(output), ...rest }
  }

  exit(id: string): Promise<TerminalExitStatus> {
    return this.#get(id).exit
  }

  kill(id: string): void {
    this.#get(id).kill()
  }

  /** Ends the command, if it runs, and forgets it. */
  release(id: string): void {
    const command = this.#get(id)
    command.kill()
    void command.exit.then(() => this.#commands.delete(id))
  }

  #get(id: string): Command {
    const command = this.#commands.get(id)
    if (command) return command
    throw RequestError.resourceNotFound(id)
  }
}

/** A command with its arguments runs unchanged; a line without any is for the shell. Both outputs come as one. */
function argvOf({ command, args }: CreateTerminalRequest): string[] {
  if (args && args.length > 0) return ['/bin/sh', '-c', 'exec "$@" 2>&1', 'sh', command, ...args]
  return ['/bin/sh', '-c', `exec 2>&1\n${command}`]
}

/** One command: what it wrote last, and how it ended. */
class Command {
  readonly origin: Origin
  readonly exit: Promise<TerminalExitStatus>
  readonly #most: number
  #output: Buffer = Buffer.alloc(0)
  #truncated = false
  #over: TerminalExitStatus | undefined

  constructor(argv: string[], where: Surroundings, marks: string[], most: number) {
    this.#most = Math.min(Math.max(most, 0), MAX_OUTPUT_BYTES)
    const child = start(argv, where)
    this.origin = { pid: child.pid, started: readProcess(child.pid)?.started ?? '', marks }
    const read = this.#read(child.stdout)
    this.exit = child.exited.then(async () => {
      // What a command left running may hold its output open, so that is not waited for.
      await Promise.race([read, settled()])
      const { exitCode, signalCode } = child
      const over = signalCode === null ? { exitCode } : { signal: String(signalCode) }
      this.#over = over
      return over
    })
  }

  get shown(): TerminalOutputResponse {
    const output = new TextDecoder().decode(trimPartialCharacter(this.#output))
    return { output, truncated: this.#truncated, ...(this.#over && { exitStatus: this.#over }) }
  }

  /** It has a process group of its own. */
  kill(): void {
    if (!this.#over) kill(-this.origin.pid, 'SIGKILL')
  }

  async #read(output: ReadableStream<Uint8Array>): Promise<void> {
    for await (const bytes of output) {
      const all = Buffer.concat([this.#output, bytes])
      this.#truncated ||= all.length > this.#most
      this.#output = this.#truncated ? all.subarray(Math.max(0, all.length - this.#most)) : all
    }
  }
}

/** Context of a started command. */
interface Surroundings {
  cwd: string
  env: Record<string, string>
  cgroup?: string
}

function start(argv: string[], where: Surroundings) {
  try {
    return Bun.spawn(argv, { ...where, stdin: 'ignore', stdout: 'pipe', stderr: 'ignore', detached: true })
  } catch (error) {
    throw new AppError('invalid-request', `the command could not be started: ${errorMessage(error)}`)
  }
}

/** Bytes without the rest of a character that was cut. */
function trimPartialCharacter(bytes: Buffer): Buffer {
  const first = bytes.findIndex((byte) => (byte & 0xc0) !== 0x80)
  return first > 0 && first < 4 ? bytes.subarray(first) : bytes
}

async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await nextTick()
}
