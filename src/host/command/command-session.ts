import { type FileHandle, open, rename } from 'node:fs/promises'
import { toTimestamp } from '../../core/clock.ts'
import { settlesWithin } from '../../core/deadlines.ts'
import { Ring } from '../../core/ring.ts'
import type { RedactionStream, Redactor } from '../../core/text/index.ts'
import type { SessionParts } from '../confine/index.ts'
import { resolveProgram, toSpawnError } from '../confine/index.ts'
import type { Origin } from '../process/index.ts'
import { readProcess } from '../process/index.ts'
import type { CommandOutput, HostedSession, OutputFile, Screen, StartSpec } from '../protocol/index.ts'

/** Reports of a session to its host. */
export interface CommandSessionListener {
  output(session: CommandSession): void
  exited(session: CommandSession): void
}

/** Number of bytes of what a command prints that are kept unless its start says otherwise: the last. */
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

  /** Output for followers. */
  get ring(): Ring {
    return this.#output.ring
  }

  /** The last of each stream; undefined when no one asked for them apart. */
  get streams(): CommandOutput | undefined {
    return this.spec.keep === undefined ? undefined : this.#output.streams
  }

  get view(): Omit<HostedSession, 'state'> {
    const { key, run, kind, pid, startedAt } = this
    const { cgroup } = this.#origin
    const size = { cols: 0, rows: 0, bytes: this.ring.end, oldest: this.ring.oldest, unseen: 0 }
    return { key, run, kind, pid, startedAt, ...this.#over, ...(cgroup !== undefined && { cgroup }), ...size }
  }

  /** Last output as a screen. */
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

/** Appends what a command prints to a file; of one that is full, one earlier file is kept. */
class OutputLog {
  #file: FileHandle | undefined
  #size = 0
  /** Both streams of a command write here. */
  #work: Promise<void> = Promise.resolve()

  constructor(private readonly target: OutputFile) {}

  /** Resolves when the bytes are written, or could not be. A command continues without its log. */
  write(bytes: Uint8Array): Promise<void> {
    if (bytes.length > 0) this.#work = this.#work.then(() => this.#append(bytes)).catch(() => this.#release())
    return this.#work
  }

  async close(): Promise<void> {
    await this.#work
    await this.#release().catch(() => {})
  }

  async #append(bytes: Uint8Array): Promise<void> {
    const { file, bytes: limit } = this.target
    if (this.#file && this.#size + bytes.length > limit) {
      await this.#release()
      await rename(file, `${file}.old`)
    }
    this.#file ??= await this.#open()
    await this.#file.write(bytes)
    this.#size += bytes.length
  }

  async #open(): Promise<FileHandle> {
    const { file, bytes: limit } = this.target
    const handle = await open(file, 'a', 0o600)
    this.#size = (await handle.stat()).size
    if (this.#size < limit) return handle
    await handle.close()
    await rename(file, `${file}.old`)
    this.#size = 0
    return open(file, 'a', 0o600)
  }

  async #release(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }
}

/** Last output of one stream of a command. */
class KeptStream {
  readonly #redaction: RedactionStream
  readonly #ring: Ring

  constructor(
    bytes: number,
    redactor: Redactor,
    private readonly all: Ring,
  ) {
    this.#redaction = redactor.createStream()
    this.#ring = new Ring(bytes)
  }

  get text(): string {
    return Buffer.from(this.#ring.read(this.#ring.oldest, this.#ring.capacity))
      .toString('utf8')
      .replaceAll('\uFFFD', '')
  }

  get isCut(): boolean {
    return this.#ring.oldest > 0
  }

  /** Returns what may be shown of it now. */
  push(bytes: Uint8Array): Uint8Array {
    return this.#keep(this.#redaction.push(bytes))
  }

  /** Nothing more is printed: what may have been the beginning of a secret is none. Returns that. */
  end(): Uint8Array {
    return this.#keep(this.#redaction.flush())
  }

  #keep(bytes: Uint8Array): Uint8Array {
    this.#ring.push(bytes)
    this.all.push(bytes)
    return bytes
  }
}

/** Output of a command: the last bytes of each stream, and of both in order. Secrets are struck out. */
class KeptOutput {
  readonly ring: Ring
  readonly stdout: KeptStream
  readonly stderr: KeptStream

  constructor(bytes: number, redactor: Redactor) {
    this.ring = new Ring(bytes)
    this.stdout = new KeptStream(bytes, redactor, this.ring)
    this.stderr = new KeptStream(bytes, redactor, this.ring)
  }

  /** The last bytes of both. */
  get text(): string {
    return Buffer.from(this.ring.read(this.ring.oldest, this.ring.capacity)).toString('utf8').replaceAll('\uFFFD', '')
  }

  get streams(): CommandOutput {
    const { stdout, stderr } = this
    return { stdout: stdout.text, stderr: stderr.text, truncated: stdout.isCut || stderr.isCut }
  }
}
