import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import type { Redactor } from '../../core/redact.ts'
import type { Cgroup } from '../process/cgroups.ts'
import { readProcess } from '../process/process-table.ts'
import { settlesWithin } from '../process/settles-within.ts'
import { resolveProgram, toSpawnError } from '../process/spawn.ts'
import type { Origin } from '../process/tree.ts'
import type { HostedSession, Screen, StartSpec } from '../protocol/session.ts'

export interface CommandSessionDependencies {
  clock: Clock
  deadlines: Deadlines
  redactor: Redactor
  marks: string[]
  cgroup: Cgroup | undefined
}

/** What a session reports to its host. */
export interface CommandSessionListener {
  output(session: CommandSession): void
  exited(session: CommandSession): void
}

/** How many bytes of what a command prints are kept: the last. */
const MAX_OUTPUT = 8 * 1024

/** A command that gc waits for: it has no terminal and no input, and what it prints last is kept. */
export class CommandSession {
  readonly kind = 'command' as const
  readonly startedAt: string
  readonly pid: number
  readonly #origin: Origin
  readonly #read: Promise<unknown>
  #output = Buffer.alloc(0)
  #bytes = 0
  #over: { exitCode?: number; signal?: string } | undefined
  #finished = false

  constructor(
    readonly run: string,
    private readonly spec: StartSpec,
    private readonly dependencies: CommandSessionDependencies,
    private readonly events: CommandSessionListener,
  ) {
    const { clock, marks, cgroup } = dependencies
    const child = this.#spawn()
    this.pid = child.pid
    this.startedAt = toTimestamp(clock.now())
    const started = readProcess(child.pid)?.started ?? ''
    this.#origin = { pid: child.pid, started, marks, ...(cgroup && { cgroup: cgroup.path }) }
    this.#read = Promise.allSettled([this.#keep(child.stdout), this.#keep(child.stderr)])
  }

  get key(): string {
    return this.spec.key
  }

  get origins(): Origin[] {
    return [this.#origin]
  }

  get exitStatus(): { exitCode?: number; signal?: string } | undefined {
    return this.#over
  }

  get finished(): boolean {
    return this.#finished
  }

  get view(): Omit<HostedSession, 'state'> {
    const { key, run, kind, pid, startedAt } = this
    const { cgroup } = this.#origin
    const size = { cols: 0, rows: 0, bytes: this.#bytes, oldest: this.#bytes - this.#output.length, unseen: 0 }
    return { key, run, kind, pid, startedAt, ...this.#over, ...(cgroup !== undefined && { cgroup }), ...size }
  }

  /** What it printed last stands for a screen. */
  async screen(lines = 40): Promise<Screen> {
    const text = this.dependencies.redactor.redact(this.#output.toString('utf8').replaceAll('\uFFFD', ''))
    const shown = text.replace(/\n$/, '').split('\n').slice(-lines)
    const blank = { cursor: { x: 0, y: 0 }, title: '', alternate: false, bracketedPaste: false, cols: 0, rows: 0 }
    return { ...blank, lines: text === '' ? [] : shown, offset: this.#bytes }
  }

  /** Its processes are gone: reads what they printed last. */
  async finish(ms: number): Promise<void> {
    await settlesWithin(this.dependencies.deadlines, ms, this.#read)
    this.#finished = true
    this.events.output(this)
  }

  #spawn() {
    const { spec } = this
    const program = resolveProgram(spec)
    try {
      return Bun.spawn([program, ...spec.argv.slice(1)], {
        ...{ argv0: spec.argv[0], cwd: spec.cwd, env: spec.env, detached: true },
        ...({ stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' } as const),
        onExit: (_child, exitCode, signal) => this.#exited(exitCode, signal === null ? null : String(signal)),
      })
    } catch (error) {
      throw toSpawnError(program, error)
    }
  }

  async #keep(stream: ReadableStream<Uint8Array>): Promise<void> {
    for await (const bytes of stream) {
      this.#bytes += bytes.length
      this.#output = Buffer.concat([this.#output, bytes.subarray(-MAX_OUTPUT)]).subarray(-MAX_OUTPUT)
    }
  }

  #exited(exitCode: number | null, signal: string | null): void {
    this.#over = signal !== null ? { signal } : exitCode !== null ? { exitCode } : {}
    this.events.exited(this)
  }
}
