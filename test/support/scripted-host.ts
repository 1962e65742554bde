import { toTimestamp } from '../../src/core/clock.ts'
import { AppError } from '../../src/core/errors.ts'
import type { RecordBatch, SessionHost } from '../../src/host/client/session-host.ts'
import type { HostAnswer, HostPrompt } from '../../src/host/protocol/proxy.ts'
import type { ChoiceOutcome, Question } from '../../src/host/protocol/question.ts'
import type { AgentRecordContent } from '../../src/host/protocol/record.ts'
import type { Exit, HostedSession, Screen, StartResult, StartSpec } from '../../src/host/protocol/session.ts'
import type { TestClock } from './clock.ts'

/** Beyond every pid of a real process. */
const FIRST_PID = 5_000_000

interface Program {
  readonly session: HostedSession
  turn: string
  records: number
}

const rejected = async (): Promise<never> => {
  throw new AppError('service-unavailable', 'this host runs no real program')
}

const unsubscribe = () => {}

type OutputListener = Parameters<SessionHost['onOutput']>[1]

/** The hosts beyond all lists that programs ask for, as a test says. */
class HostPrompts {
  readonly isKnown = true
  readonly #open = new Map<string, HostPrompt>()
  readonly #listeners = new Set<(key: string, asked: HostPrompt | undefined) => void>()

  get all(): [key: string, asked: HostPrompt][] {
    return [...this.#open]
  }

  find(key: string): HostPrompt | undefined {
    return this.#open.get(key)
  }

  async whenKnown(): Promise<void> {}

  subscribe(listener: (key: string, asked: HostPrompt | undefined) => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  set(key: string, asked: HostPrompt | undefined): void {
    if (asked) this.#open.set(key, asked)
    else this.#open.delete(key)
    for (const listener of this.#listeners) listener(key, asked)
  }
}

type HostSaid = { host: string; port: number; answer: HostAnswer }

/**
 * A session host without processes, for the city of a test. What is started runs until the test ends it. A program that
 * speaks ACP works on a turn, so that prompts wait, until the test finishes it; then it takes one prompt.
 */
export class ScriptedHost implements SessionHost {
  /** Starts of programs, oldest first. */
  readonly starts: StartSpec[] = []
  /** The prompts that programs took, oldest first. */
  readonly prompts: { key: string; text: string }[] = []
  /** Error of every start and prompt. */
  startError: string | undefined
  promptError: string | undefined
  /** Errors of ending programs, by key. */
  readonly endErrors = new Map<string, string>()
  /** Screens of programs, by key. */
  readonly screens = new Map<string, string[]>()
  /** The options that were taken, oldest first. */
  readonly choices: { key: string; question: string; option: string; text?: string }[] = []
  /** Answers about hosts that programs request, oldest first. */
  readonly said: ({ key: string } & HostSaid)[] = []
  readonly #questions = new Map<string, Question>()
  readonly #questionListeners = new Set<(key: string, question: Question | undefined) => void>()
  /** The questions of programs that speak ACP. */
  readonly #asked = new Set<string>()
  readonly #programs = new Map<string, Program>()
  readonly #outputListeners = new Set<{ key: string | undefined; listener: OutputListener }>()
  readonly #exitListeners = new Set<(exit: Exit) => unknown>()
  readonly #recordListeners = new Set<(batch: RecordBatch) => unknown>()

  constructor(private readonly clock: TestClock) {}

  /** The keys of what runs. */
  get running(): string[] {
    return [...this.#programs.keys()]
  }

  /** A program exits automatically. Resolves when the city has recorded that. */
  async exit(key: string, exitCode = 0, lastOutput: string[] = [], stderr = ''): Promise<void> {
    const keeps = this.starts.findLast((start) => start.key === key)?.keep !== undefined
    const streams = { stdout: lastOutput.join('\n'), stderr, truncated: false }
    await this.#end(key, { reason: 'exited', exitCode, lastOutput, ...(keeps && { streams }) })
  }

  /** The kernel kills a program for want of memory. Resolves when the city has recorded that. */
  async exhaust(key: string, memoryLack: 'share' | 'machine', lastOutput: string[] = []): Promise<void> {
    await this.#end(key, { reason: 'exited', signal: 'SIGKILL', memoryLack, lastOutput })
  }

  /** A program that speaks ACP reports something. Resolves when the city has recorded that. */
  report(key: string, content: AgentRecordContent): Promise<void> {
    if (content.type === 'asked') this.#asked.add(content.request)
    return this.#push(this.#program(key), content)
  }

  /** A program ends its turn, which used so much. Resolves when the city has recorded that. */
  async finishTurn(key: string, usage?: object): Promise<void> {
    const program = this.#program(key)
    const { turn } = program
    program.turn = ''
    await this.#push(program, { type: 'done', turn, reason: 'end_turn', ...(usage && { usage }) })
  }

  /** A turn fails. Resolves when the city has recorded that. */
  async failTurn(key: string, error: string): Promise<void> {
    const program = this.#program(key)
    const { turn } = program
    program.turn = ''
    await this.#push(program, { type: 'done', turn, reason: 'error', error })
  }

  /** A program begins a turn automatically. Resolves when the city has recorded that. */
  async beginTurn(key: string): Promise<void> {
    const program = this.#program(key)
    program.turn = `turn-${program.records}`
    await this.#push(program, { type: 'turn', turn: program.turn, text: 'Go on.' })
  }

  async start(spec: StartSpec): Promise<StartResult> {
    if (this.startError !== undefined) throw new AppError('service-unavailable', this.startError)
    const { key, kind = 'terminal', cols, rows } = spec
    const pid = FIRST_PID + this.starts.push(spec)
    const startedAt = toTimestamp(this.clock.now())
    const ids = { key, run: String(pid), pid, startedAt }
    const session = { ...ids, kind, cols, rows, state: 'running', bytes: 0, oldest: 0, unseen: 0 } as const
    const program = { session, turn: 'first', records: 0 }
    this.#programs.set(key, program)
    if (kind === 'acp') await this.#push(program, { type: 'turn', turn: program.turn, text: 'Begin.' })
    return { pid, startedAt }
  }

  async list(): Promise<HostedSession[]> {
    return [...this.#programs.values()].map(({ session }) => session)
  }

  async end(key: string): Promise<Exit | undefined> {
    const error = this.endErrors.get(key)
    if (error !== undefined) throw new AppError('service-unavailable', error)
    return this.#programs.has(key) ? this.#end(key, { reason: 'ended' }) : undefined
  }

  async prompt(key: string, turn: string, text: string): Promise<void> {
    const program = this.#program(key)
    if (this.promptError !== undefined) throw new AppError('internal', this.promptError)
    if (program.turn !== '') throw new AppError('conflict-wrong-state', 'the agent works on a turn')
    program.turn = turn
    this.prompts.push({ key, text })
    await this.#push(program, { type: 'turn', turn, text })
  }

  async cancel(key: string): Promise<boolean> {
    await this.finishTurn(key)
    return true
  }

  onExit(listener: (exit: Exit) => unknown): () => void {
    this.#exitListeners.add(listener)
    return () => this.#exitListeners.delete(listener)
  }

  onRecords(listener: (batch: RecordBatch) => unknown): () => void {
    this.#recordListeners.add(listener)
    return () => this.#recordListeners.delete(listener)
  }

  async screen(key: string, _?: number, styles = false): Promise<Screen> {
    const { cols, rows } = this.#program(key).session
    const lines = this.screens.get(key) ?? []
    const cursor = { x: 0, y: lines.length }
    const plain = lines.map((line) => Bun.stripANSI(line))
    return {
      lines: plain,
      ...(styles && { styled: lines }),
      cursor,
      title: '',
      alternate: false,
      bracketedPaste: false,
      cols,
      rows,
      offset: 0,
    }
  }

  question(key: string): Question | undefined {
    return this.#questions.get(key)
  }

  async whenQuestionsKnown(): Promise<void> {}

  reportsQuestions(): boolean {
    return true
  }

  onQuestion(listener: (key: string, question: Question | undefined) => void): () => void {
    this.#questionListeners.add(listener)
    return () => this.#questionListeners.delete(listener)
  }

  /** A program writes to its screen, which then shows these lines. */
  show(key: string, ...lines: string[]): void {
    this.screens.set(key, lines)
    const activity = { key, bytes: lines.join('').length, at: toTimestamp(this.clock.now()) }
    for (const entry of this.#outputListeners) if ((entry.key ?? key) === key) entry.listener(key, activity)
  }

  /** A program asks something on its screen, or nothing any more. */
  ask(key: string, question: Question | undefined): void {
    if (question) this.#questions.set(key, question)
    else this.#questions.delete(key)
    for (const listener of this.#questionListeners) listener(key, question)
  }

  async choose(key: string, question: string, option: string, text?: string): Promise<ChoiceOutcome> {
    const given = this.choices.find((choice) => choice.question === question)
    if (given) return { result: 'taken', option: given.option }
    if (this.#questions.get(key)?.id !== question) return { result: 'gone' }
    this.choices.push({ key, question, option, ...(text !== undefined && { text }) })
    this.ask(key, undefined)
    return { result: 'taken', option }
  }

  readonly write = rejected
  readonly resize = rejected
  readonly signal = rejected
  readonly snapshot = rejected
  readonly mode = rejected

  async answer(key: string, request: string, choice: string): Promise<void> {
    const program = this.#program(key)
    if (!this.#asked.delete(request)) throw new AppError('conflict-wrong-state', 'the agent does not ask that any more')
    await this.#push(program, { type: 'answered', request, choice })
  }

  readonly listDaemons = async () => new Map()
  readonly traffic = async () => []
  /** The host that each program asks for. */
  readonly askedHosts = new HostPrompts()

  async answerHost(key: string, said: HostSaid): Promise<boolean> {
    const asked = this.askedHosts.find(key)
    if (asked?.host !== said.host || asked.port !== said.port) return false
    this.said.push({ key, ...said })
    this.askedHosts.set(key, undefined)
    return true
  }
  readonly status = async () => []

  onOutput(key: string | undefined, listener: OutputListener): () => void {
    const entry = { key, listener }
    this.#outputListeners.add(entry)
    return () => this.#outputListeners.delete(entry)
  }

  readonly onLost = () => unsubscribe
  readonly shutdown = async () => {}
  readonly close = () => {}
  async *follow() {}

  #program(key: string): Program {
    const program = this.#programs.get(key)
    if (!program) throw new AppError('session-not-found', `nothing runs as ${key}`)
    return program
  }

  /** The host that ran a program is lost. Resolves when the city has recorded that. */
  async lose(key: string): Promise<void> {
    await this.#end(key, { reason: 'host-lost' })
  }

  async #end(key: string, end: Pick<Exit, 'reason'> & Partial<Exit>): Promise<Exit> {
    const { run, pid, startedAt } = this.#program(key).session
    this.#programs.delete(key)
    const exit: Exit = {
      ...{ key, run, pid, startedAt, state: 'exited', lastOutput: [], daemons: [] },
      endedAt: toTimestamp(this.clock.now()),
      ...end,
    }
    const delivered = Promise.all([...this.#exitListeners].map((listener) => listener(exit)))
    if (end.reason !== 'ended') await delivered
    return exit
  }

  async #push(program: Program, content: AgentRecordContent): Promise<void> {
    const { key, run } = program.session
    const record = { ...content, seq: ++program.records, at: toTimestamp(this.clock.now()) }
    await Promise.all([...this.#recordListeners].map((listener) => listener({ key, run, records: [record] })))
  }
}
