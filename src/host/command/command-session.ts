import { toTimestamp } from '../../core/clock.ts'
import type { Ring } from '../../core/ring.ts'
import { readProcess } from '../process/process-table.ts'
import type { SessionParts } from '../process/session-parts.ts'
import { settlesWithin } from '../process/settles-within.ts'
import { resolveProgram, toSpawnError } from '../process/spawn.ts'
import type { Origin } from '../process/tree.ts'
import type { CommandOutput, HostedSession, Screen, StartSpec } from '../protocol/session.ts'
import { KeptOutput } from './kept-output.ts'
import { OutputLog } from './output-log.ts'

/** What a session reports to its host. */
export interface CommandSessionListener {
  output(session: CommandSession): void
  exited(session: CommandSession): void
}

/** How many bytes of what a command prints are kept unless its start says otherwise: the last. */
const DEFAULT_KEPT_BYTES = 8 * 1024

/** A command that gc waits for: it has no terminal and no input, and what it prints last is kept. */
export class CommandSession {
  readonly kind = 'command' as const
  readonly startedAt: string
  readonly pid: number
  readonly #origin: Origin
  readonly #read: Promise<unknown>
  readonly #output: KeptOutput
  readonly #log: OutputLog | undefined
  #over: { exitCode?: number; signal?: string } | undefined
  #finished = false

  constructor(
    readonly run: string,
    private readonly spec: StartSpec,
    private readonly dependencies: SessionParts,
    private readonly events: CommandSessionListener,
  ) {
    const { clock, marks, cgroup } = dependencies
    this.#output = new KeptOutput(spec.keep ?? DEFAULT_KEPT_BYTES, dependencies.redactor)
    this.#log = spec.log && new OutputLog(spec.log)
    const child = this.#spawn()
    this.pid = child.pid
    this.startedAt = toTimestamp(clock.now())
    const started = readProcess(child.pid)?.started ?? ''
    this.#origin = { pid: child.pid, started, marks, ...(cgroup && { cgroup: cgroup.path }) }
    const { stdout, stderr } = this.#output
    this.#read = Promise.allSettled([this.#keep(child.stdout, stdout), this.#keep(child.stderr, stderr)])
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

  /** What it printed, for those who follow it. */
  get ring(): Ring {
    return this.#output.ring
  }

  /** The last of each stream; undefined when nobody asked for them apart. */
  get streams(): CommandOutput | undefined {
    return this.spec.keep === undefined ? undefined : this.#output.streams
  }

  get view(): Omit<HostedSession, 'state'> {
    const { key, run, kind, pid, startedAt } = this
    const { cgroup } = this.#origin
    const size = { cols: 0, rows: 0, bytes: this.ring.end, oldest: this.ring.oldest, unseen: 0 }
    return { key, run, kind, pid, startedAt, ...this.#over, ...(cgroup !== undefined && { cgroup }), ...size }
  }

  /** What it printed last stands for a screen. */
  async screen(lines = 40): Promise<Screen> {
    const { text } = this.#output
    const shown = text.replace(/\n$/, '').split('\n').slice(-lines)
    const blank = { cursor: { x: 0, y: 0 }, title: '', alternate: false, bracketedPaste: false, cols: 0, rows: 0 }
    return { ...blank, lines: text === '' ? [] : shown, offset: this.ring.end }
  }

  /** Its processes are gone: reads what they printed last. */
  async finish(ms: number): Promise<void> {
    await settlesWithin(this.dependencies.deadlines, ms, this.#read)
    this.#finished = true
    await this.#log?.close()
    this.events.output(this)
  }

  #spawn() {
    const { spec } = this
    const program = resolveProgram(spec)
    const { confiner, cgroup, yields } = this.dependencies
    const { command, argv0, env, extra, started } = confiner.prepare(program, { ...spec, yields })
    try {
      const child = Bun.spawn(command, {
        ...{ cwd: spec.cwd, env, detached: true, ...(argv0 !== undefined && { argv0 }) },
        ...(cgroup && { cgroup: cgroup.path }),
        stdio: ['ignore', 'pipe', 'pipe', ...extra],
        onExit: (_child, exitCode, signal) => this.#exited(exitCode, signal === null ? null : String(signal)),
      })
      started(child)
      return child
    } catch (error) {
      throw toSpawnError(program, error)
    }
  }

  async #keep(stream: ReadableStream<Uint8Array>, kept: KeptOutput['stdout']): Promise<void> {
    for await (const bytes of stream) {
      const shown = kept.push(bytes)
      this.events.output(this)
      await this.#log?.write(shown)
    }
    await this.#log?.write(kept.end())
  }

  #exited(exitCode: number | null, signal: string | null): void {
    this.#over = signal !== null ? { signal } : exitCode !== null ? { exitCode } : {}
    this.events.exited(this)
  }
}
