import type { SessionUpdate } from '@agentclientprotocol/sdk'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Redactor } from '../../core/redact.ts'
import { kill } from '../process/ending.ts'
import { processNow } from '../process/process-table.ts'
import type { Origin } from '../process/tree.ts'
import { within } from '../process/waiting.ts'
import type { ForegroundSignal, HostedSession, Screen, StartSpec } from '../protocol/session.ts'
import type { Records } from '../server/records.ts'
import { Commands } from './commands.ts'
import { Conversation } from './conversation.ts'
import { Folder } from './folder.ts'
import type { Opened } from './handshake.ts'
import { Ledger } from './ledger.ts'
import { Scribe } from './scribe.ts'
import { type Agent, spawnAgent } from './spawn.ts'
import { Tail } from './tail.ts'
import { agentWire } from './wire.ts'

const ERRORS_MOST = 16 << 10

export interface AgentParts {
  clock: Clock
  deadlines: Deadlines
  redactor: Redactor
  marks: string[]
  build: string
  records: Pick<Records, 'shelf'>
  report(sentence: string): void
}

/** What a session tells those who keep it. */
export interface AgentEvents {
  output(session: AgentSession): void
  exited(session: AgentSession): void
  appended(ledger: Ledger): void
}

/** A program that is spoken to by protocol: its pipes, what was said, and its first process. */
export class AgentSession {
  readonly kind = 'acp' as const
  readonly startedAt: string
  readonly ledger: Ledger
  readonly #agent: Agent
  readonly #origin: Origin
  readonly #commands: Commands
  readonly #conversation: Conversation
  readonly #scribe: Scribe
  readonly #tail: Tail
  #errors = ''
  #lastOutput: number | undefined
  #over: { exitCode?: number; signal?: string } | undefined
  #finished = false

  constructor(
    readonly run: string,
    private readonly spec: StartSpec,
    private readonly parts: AgentParts,
    private readonly events: AgentEvents,
  ) {
    const { clock, deadlines, redactor, marks, build } = parts
    this.#tail = new Tail(redactor)
    this.#agent = spawnAgent(spec, (exitCode, signal) => this.#exited(exitCode, signal))
    this.startedAt = toTimestamp(clock.now())
    this.#origin = { pid: this.pid, started: processNow(this.pid)?.started ?? '', marks }
    const shelf = parts.records.shelf({ run, key: spec.key }, parts.report)
    this.ledger = new Ledger(spec.key, run, clock, redactor, shelf, events.appended)
    this.#scribe = new Scribe(this.ledger, deadlines)
    const folder = new Folder(spec.cwd)
    this.#commands = new Commands(folder, spec.env, marks, redactor)
    const { resume, mode, model, servers, patience } = spec.acp ?? {}
    const said = { run, build, deadlines, scribe: this.#scribe, folder, commands: this.#commands }
    this.#conversation = new Conversation(
      { ...said, resume, mode, model, servers, patience, told: (update) => this.#told(update) },
      agentWire({
        input: this.#agent.output,
        write: (line) => this.#agent.write(line),
        room: () => this.ledger.room(),
        stray: (line) => this.#complain(`${line}\n`),
      }),
    )
    void this.#readErrors()
    // An agent that hangs up while its process lives is of no use to anybody any more.
    void this.#conversation.over.then(() => this.#isThere() && kill(this.pid, 'SIGTERM'))
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

  get over(): { exitCode?: number; signal?: string } | undefined {
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
        cols: 0,
        rows: 0,
        bytes: this.#tail.bytes,
        oldest: 0,
        unseen: 0,
      },
      ...(this.#lastOutput !== undefined && { lastOutputAt: toTimestamp(this.#lastOutput) }),
    }
  }

  /** Resolves when the agent has opened a conversation; refuses with what it complained of. */
  async ready(): Promise<Opened> {
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

  answer(request: string, choice: string): void {
    this.#conversation.permissions.answer(request, choice)
  }

  signal(signal: ForegroundSignal): void {
    if (this.#isThere()) kill(this.pid, `SIG${signal}`)
  }

  /** Its last words stand for a screen; once it is over, its last complaints do. */
  async screen(lines = 40): Promise<Screen> {
    const shown = this.#finished ? this.#errors.trim().split('\n').filter(Boolean) : this.#tail.lines
    const blank = { cursor: { x: 0, y: 0 }, title: '', alternate: false, bracketedPaste: false, cols: 0, rows: 0 }
    return { ...blank, lines: shown.slice(-lines), offset: this.#tail.bytes }
  }

  /** Its processes are gone: reads what they said last. */
  async finish(ms: number): Promise<void> {
    this.ledger.opened()
    await within(this.parts.deadlines, ms, this.#conversation.over)
    this.#conversation.close()
    await new Promise((resolve) => setImmediate(resolve))
    this.#scribe.flush()
    this.#finished = true
    this.events.output(this)
  }

  #isThere(): boolean {
    return processNow(this.pid)?.started === this.#origin.started
  }

  #told(update: SessionUpdate): void {
    this.#lastOutput = this.parts.clock.now()
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
    this.#errors = this.parts.redactor.redact(this.#errors + text).slice(-ERRORS_MOST)
  }
}
