import type { AnyMessage, SessionUpdate, Stream } from '@agentclientprotocol/sdk'
import { toTimestamp } from '../../core/clock.ts'
import { settlesWithin } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { nextTick } from '../../core/event-loop.ts'
import { isObject } from '../../core/json.ts'
import type { Redactor } from '../../core/text/index.ts'
import { isNestedTooDeep, MAX_WRITTEN_DEPTH, withoutLoneSurrogates } from '../../core/text/index.ts'
import type { SessionParts } from '../confine/index.ts'
import { resolveProgram, type SpawnParts, toSpawnError } from '../confine/index.ts'
import { kill, type Origin, readProcess } from '../process/index.ts'
import type { ForegroundSignal, HostedSession, Screen, StartSpec } from '../protocol/index.ts'
import { Commands } from './commands.ts'
import { Conversation } from './conversation.ts'
import type { OpenedConversation } from './handshake.ts'
import { RecordQueue, type RecordStorage } from './record-queue.ts'
import { RecordWriter } from './record-writer.ts'
import { SessionFolder } from './session-folder.ts'

const MAX_ERROR_OUTPUT = 16 << 10

export interface AgentSessionDependencies extends SessionParts {
  build: string
  /** Opens the file that keeps the records of one run. */
  records: { recordFile(owner: { run: string; key: string }, report: (message: string) => void): RecordStorage }
  report(sentence: string): void
}

/** Reports of a session to its host. */
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
    await nextTick()
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

/** A program on pipes, the leader of a process session of its own. */
interface AgentProcess {
  pid: number
  output: ReadableStream<Uint8Array>
  errors: ReadableStream<Uint8Array>
  /** Resolves when the pipe has taken the line. */
  write(line: string): Promise<void>
}

/** Starts a program that speaks over its standard input and output; throws a sentence for people when it cannot be started. */
function spawnAgent(
  spec: StartSpec,
  exited: (exitCode: number | null, signal: string | null) => void,
  { confiner, cgroup, yields }: SpawnParts,
): AgentProcess {
  const program = resolveProgram(spec)
  const { command, argv0, env, extra, started } = confiner.prepare(program, { ...spec, yields })
  try {
    const child = Bun.spawn(command, {
      ...(argv0 !== undefined && { argv0 }),
      ...(cgroup && { cgroup: cgroup.path }),
      cwd: spec.cwd,
      env,
      stdio: ['pipe', 'pipe', 'pipe', ...extra],
      detached: true,
      onExit: (_child, exitCode, signal) => exited(exitCode, signal === null ? null : String(signal)),
    })
    started(child)
    return {
      pid: child.pid,
      output: child.stdout,
      errors: child.stderr,
      async write(line) {
        child.stdin.write(line)
        await child.stdin.flush()
      },
    }
  } catch (error) {
    throw toSpawnError(program, error)
  }
}

const MAX_LINES = 1_000
const MAX_LINE_LENGTH = 4_000

/** The last lines of what an agent says and does, as a person would read them. */
class OutputTail {
  #lines: string[] = []
  #open = false
  /** Total bytes shown. */
  bytes = 0

  constructor(private readonly redactor: Redactor) {}

  get lines(): string[] {
    return this.#lines.map((appendLine) => this.redactor.redact(appendLine))
  }

  /** Words that continue where the last ones ended. */
  appendText(text: string): void {
    this.bytes += Buffer.byteLength(text)
    const [first = '', ...more] = text.split('\n')
    const last = this.#open ? (this.#lines.pop() ?? '') : ''
    this.#push(last + first)
    for (const line of more) this.#push(line)
    this.#open = true
  }

  line(text: string): void {
    if (this.#open && this.#lines.at(-1) === '') this.#lines.pop()
    this.#open = false
    this.appendText(text)
    this.#open = false
  }

  /** Appends what is worth showing of an update. */
  update(update: SessionUpdate): void {
    if (update.sessionUpdate === 'agent_message_chunk' && update.content.type === 'text')
      this.appendText(update.content.text)
    if (update.sessionUpdate === 'tool_call') this.line(`▸ ${update.title}`)
    if (update.sessionUpdate === 'tool_call_update' && update.status === 'failed') this.line('▸ failed')
    if (update.sessionUpdate === 'plan') {
      for (const { content, status } of update.entries) this.line(`${status === 'completed' ? '☑' : '☐'} ${content}`)
    }
  }

  #push(line: string): void {
    this.#lines.push(line.slice(-MAX_LINE_LENGTH))
    if (this.#lines.length > MAX_LINES) this.#lines.shift()
  }
}

/** A longer message cannot be kept whole on its way to the supervisor. */
const MAX_MESSAGE_BYTES = 7 << 20
const NEWLINE = 0x0a

interface AgentStreamOptions {
  input: ReadableStream<Uint8Array>
  /** Writes a line to the agent; resolves when the pipe has taken it. */
  write(line: string): Promise<void>
  /** Resolves when more may be read. */
  whenReadable(): Promise<void>
  /** The agent wrote a line that is not a message. */
  onStrayLine(line: string): void
}

/**
 * Messages as lines of JSON over an agent's pipes. They are handed on one at a time, each once the one before has been
 * dealt with, so that the messages of the agent are recorded in their order.
 */
function createAgentStream({ input, write, whenReadable: room, onStrayLine: stray }: AgentStreamOptions): Stream {
  const lines = linesOf(input, room)
  const readable = new ReadableStream<AnyMessage>(
    {
      async pull(controller) {
        for (;;) {
          await nextTick()
          await room()
          const { done, value } = await lines.next()
          if (done) return controller.close()
          const message = parse(value)
          if (message) return controller.enqueue(message)
          if (value.trim()) stray(value)
        }
      },
    },
    { highWaterMark: 0 },
  )
  const writable = new WritableStream<AnyMessage>({
    write: (message) => write(`${JSON.stringify(message)}\n`),
  })
  return { readable, writable }
}

async function* linesOf(input: ReadableStream<Uint8Array>, room: () => Promise<void>): AsyncGenerator<string> {
  const reader = input.getReader()
  const decoder = new TextDecoder()
  let parts: Uint8Array[] = []
  let held = 0
  for (;;) {
    await room()
    const { done, value } = await reader.read()
    if (done) break
    let from = 0
    for (let end = value.indexOf(NEWLINE); end >= 0; end = value.indexOf(NEWLINE, from)) {
      parts.push(value.subarray(from, end))
      yield decoder.decode(Buffer.concat(parts))
      parts = []
      held = 0
      from = end + 1
    }
    if (from === value.length) continue
    parts.push(value.slice(from))
    held += value.length - from
    if (held > MAX_MESSAGE_BYTES) throw new Error(`the agent sent a message of more than ${MAX_MESSAGE_BYTES} bytes`)
  }
  if (held > 0) yield decoder.decode(Buffer.concat(parts))
}

function parse(line: string): AnyMessage | undefined {
  if (isNestedTooDeep(line, MAX_WRITTEN_DEPTH)) return undefined
  try {
    const message: unknown = JSON.parse(withoutLoneSurrogates(line))
    return isMessage(message) ? message : undefined
  } catch {
    return undefined
  }
}

const isMessage = (value: unknown): value is AnyMessage => isObject(value) && value.jsonrpc === '2.0'
