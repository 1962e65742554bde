import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { toTimestamp } from '../../core/clock.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { kill } from '../process/process-ender.ts'
import { readProcess } from '../process/process-table.ts'
import type { SessionParts } from '../process/session-parts.ts'
import { settlesWithin } from '../process/settles-within.ts'
import type { Origin } from '../process/tree.ts'
import type { ForegroundSignal, HostedSession, Screen, StartSpec } from '../protocol/session.ts'
import { createAgentStream } from './agent-stream.ts'
import { Commands } from './commands.ts'
import { Conversation } from './conversation.ts'
import type { OpenedConversation } from './handshake.ts'
import { OutputTail } from './output-tail.ts'
import { RecordQueue, type RecordStorage } from './record-queue.ts'
import { RecordWriter } from './record-writer.ts'
import { SessionFolder } from './session-folder.ts'
import { type AgentProcess, spawnAgent } from './spawn.ts'

const MAX_ERROR_OUTPUT = 16 << 10

export interface AgentSessionDependencies extends SessionParts {
  build: string
  /** Opens the file that keeps the records of one run. */
  records: { recordFile(owner: { run: string; key: string }, report: (message: string) => void): RecordStorage }
  report(sentence: string): void
}

/** What a session reports to its host. */
export interface AgentSessionListener {
  output(session: AgentSession): void
  exited(session: AgentSession): void
  appended(queue: RecordQueue): void
}

/** A program that speaks a protocol: its pipes, its messages, and its first process. */
export class AgentSession {
  readonly kind = 'acp' as const
  readonly startedAt: string
  readonly records: RecordQueue
  readonly #agent: AgentProcess
  readonly #origin: Origin
  readonly #commands: Commands
  readonly #conversation: Conversation
  readonly #writer: RecordWriter
  readonly #tail: OutputTail
  #errors = ''
  #lastOutput: number | undefined
  #over: { exitCode?: number; signal?: string } | undefined
  #finished = false

  constructor(
    readonly run: string,
    private readonly spec: StartSpec,
    private readonly dependencies: AgentSessionDependencies,
    private readonly events: AgentSessionListener,
  ) {
    const { clock, deadlines, redactor, marks, cgroup, build } = dependencies
    this.#tail = new OutputTail(redactor)
    this.#agent = spawnAgent(spec, (exitCode, signal) => this.#exited(exitCode, signal), dependencies)
    this.startedAt = toTimestamp(clock.now())
    this.#origin = {
      pid: this.pid,
      started: readProcess(this.pid)?.started ?? '',
      marks,
      ...(cgroup && { cgroup: cgroup.path }),
    }
    const storage = dependencies.records.recordFile({ run, key: spec.key }, dependencies.report)
    this.records = new RecordQueue(spec.key, run, clock, redactor, storage, events.appended)
    this.#writer = new RecordWriter(this.records, deadlines, redactor)
    const folder = new SessionFolder(spec.cwd)
    this.#commands = new Commands(folder, spec.env, { marks, cgroup }, redactor)
    const { resume, mode, model, servers, patience } = spec.acp ?? {}
    const services = spec.confine ? undefined : { folder, commands: this.#commands }
    const shared = { run, build, deadlines, writer: this.#writer, cwd: folder.path, services }
    this.#conversation = new Conversation(
      {
        ...shared,
        resume,
        mode,
        model,
        servers,
        handshakeTimeoutMs: patience,
        onUpdate: (update) => this.#updated(update),
      },
      createAgentStream({
        input: this.#agent.output,
        write: (line) => this.#agent.write(line),
        whenReadable: () => this.records.whenReadable(),
        onStrayLine: (line) => this.#complain(`${line}\n`),
      }),
    )
    void this.#readErrors()
    // An agent that hangs up while its process lives is of no use to anybody any more.
    void this.#conversation.closed.then(() => this.#isRunning() && kill(this.pid, 'SIGTERM'))
  }

  get key(): string {
    return this.spec.key
  }

  get pid(): number {
    return this.#agent.pid
  }

  get origins(): Origin[] {
    return [this.#origin, ...this.#commands.origins]
  }

  get exitStatus(): { exitCode?: number; signal?: string } | undefined {
    return this.#over
  }

  get finished(): boolean {
    return this.#finished
  }

  get view(): Omit<HostedSession, 'state'> {
    const { key, run, kind, pid, startedAt } = this
    return {
      ...{
        key,
        run,
        kind,
        pid,
        startedAt,
        ...this.#over,
        ...(this.#origin.cgroup !== undefined && { cgroup: this.#origin.cgroup }),
        cols: 0,
        rows: 0,
        bytes: this.#tail.bytes,
        oldest: 0,
        unseen: 0,
      },
      ...(this.#lastOutput !== undefined && { lastOutputAt: toTimestamp(this.#lastOutput) }),
    }
  }

  /** Resolves when the agent has opened a conversation; throws with its error output. */
  async ready(): Promise<OpenedConversation> {
    try {
      return await this.#conversation.ready
    } catch (error) {
      const last = this.#errors.trim().split('\n').at(-1)
      throw new AppError('service-unavailable', errorMessage(error) + (last ? ` (it said: ${last.slice(-300)})` : ''))
    }
  }

  prompt(turn: string, text: string): Promise<void> {
    return this.#conversation.prompt(turn, text)
  }

  cancel(): Promise<boolean> {
    return this.#conversation.cancel()
  }

  /** Has the agent work in another mode from now on. */
  mode(mode: string): Promise<void> {
    return this.#conversation.mode(mode)
  }

  answer(request: string, choice: string, text?: string): void {
    this.#conversation.permissions.answer(request, choice, text)
  }

  signal(signal: ForegroundSignal): void {
    if (this.#isRunning()) kill(this.pid, `SIG${signal}`)
  }

  /** Its last words stand for a screen; once it is over, its last complaints do. */
  async screen(lines = 40): Promise<Screen> {
    const shown = this.#finished ? this.#errors.trim().split('\n').filter(Boolean) : this.#tail.lines
    const blank = { cursor: { x: 0, y: 0 }, title: '', alternate: false, bracketedPaste: false, cols: 0, rows: 0 }
    return { ...blank, lines: shown.slice(-lines), offset: this.#tail.bytes }
  }

  /** Its processes are gone: reads their last output. */
  async finish(ms: number): Promise<void> {
    this.records.endBackpressure()
    await settlesWithin(this.dependencies.deadlines, ms, this.#conversation.closed)
    this.#conversation.close()
    await new Promise((resolve) => setImmediate(resolve))
    this.#writer.flush()
    this.#finished = true
    this.events.output(this)
  }

  #isRunning(): boolean {
    return readProcess(this.pid)?.started === this.#origin.started
  }

  #updated(update: SessionUpdate): void {
    this.#lastOutput = this.dependencies.clock.now()
    this.#tail.update(update)
    this.events.output(this)
  }

  #exited(exitCode: number | null, signal: string | null): void {
    this.#over = signal !== null ? { signal } : exitCode !== null ? { exitCode } : {}
    this.events.exited(this)
  }

  async #readErrors(): Promise<void> {
    const decoder = new TextDecoder()
    for await (const bytes of this.#agent.errors) this.#complain(decoder.decode(bytes, { stream: true }))
  }

  #complain(text: string): void {
    this.#errors = this.dependencies.redactor.redact(this.#errors + text).slice(-MAX_ERROR_OUTPUT)
  }
}
