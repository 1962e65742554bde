import { AppError, errorMessage } from '../../core/errors.ts'
import {
  type Activity,
  type AgentRecord,
  type ChoiceOutcome,
  type Ended,
  type EndOptions,
  type Exit,
  type ForegroundSignal,
  type HostAnswer,
  type HostedSession,
  type HostPrompt,
  type HostResponse,
  type HostStatus,
  type Operation,
  type OutputChunk,
  type ProcessRef,
  type Question,
  type RequestFields,
  type Screen,
  SESSION_CONFLICT,
  type Snapshot,
  type StartResult,
  type StartSpec,
} from '../protocol/index.ts'
import { type HostLink, LinkLostError } from './host-link.ts'
import { type HostClientOptions, HostLinks } from './host-links.ts'
import { HostReports } from './host-reports.ts'
import { listDaemonsOf } from './list-daemons.ts'
import { OutputStream } from './output-stream.ts'
import type { Reported } from './reported.ts'
import type { RecordBatch, SessionHost } from './session-host.ts'
import { shutdownHost } from './shutdown-host.ts'

export type { SessionHost } from './session-host.ts'

/** Maximum time a host may take to answer what it can answer together. */
const ANSWER_MS = 10_000
/** Extra time for KILL and the checks after it, beyond the grace period. */
const ENDING_MS = 15_000
const GRACE_MS = 5_000
/** An agent that is spoken to by protocol opens a conversation first. */
const HANDSHAKE_MS = 45_000
const CANCEL_MS = 20_000
const CHOOSE_MS = 40_000
/** A reader holds at most so much that it has not read. */
const STREAM_WINDOW_BYTES = 256 << 10

/** Adopts the hosts of a home that run. The first session starts one of this build, or what a dead one left to end. */
export const connectToHosts = (options: HostClientOptions): Promise<HostClient> => HostClient.connect(options)

/** The supervisor's view of its session hosts: calls go to the host of the session, whatever its build. */
export class HostClient implements SessionHost {
  readonly #links: HostLinks
  readonly #exits: ExitDispatcher
  readonly #records: RecordDispatcher
  readonly #reports: HostReports
  readonly askedHosts: Reported<HostPrompt>
  readonly #outputs = new Set<{ key: string | undefined; listener(key: string, activity: Activity): void }>()
  #lastStream = 0

  private constructor(private readonly options: HostClientOptions) {
    const report = options.report ?? (() => {})
    this.#exits = new ExitDispatcher(report)
    this.#records = new RecordDispatcher(report)
    this.#reports = new HostReports(report)
    const { questions, askedHosts } = this.#reports
    this.askedHosts = askedHosts
    this.#links = new HostLinks(options, {
      exit: (exit, link) => this.#exit(exit, link),
      activity: (sessions) => this.#activity(sessions),
      records: (batch, link) => this.#records.dispatch(batch, (seq) => this.#acknowledge(link, batch.run, seq)),
      question: (key, question, link) => questions.set(key, question, link),
      askedHost: (key, asked, link) => askedHosts.set(key, asked, link),
      opened: (link) => {
        this.#listen(link)
        this.#reports.follow(link)
      },
      closed: (link) => this.#reports.drop(link),
    })
  }

  static async connect(options: HostClientOptions): Promise<HostClient> {
    const host = new HostClient(options)
    await host.#links.adopt()
    await host.#links.reclaim()
    return host
  }

  /** The hosts of a home that run; undefined when there are none. Starts nothing. */
  static async find(options: HostClientOptions): Promise<HostClient | undefined> {
    const host = new HostClient(options)
    await host.#links.adopt()
    return host.#links.all.length > 0 ? host : undefined
  }

  async start(spec: StartSpec): Promise<StartResult> {
    if (this.#links.runsElsewhere(spec.key)) throw new AppError(SESSION_CONFLICT, `${spec.key} runs already`)
    const link = this.#links.findOpen() ?? (await this.#links.ownLink())
    const ms = spec.kind === 'acp' ? (spec.acp?.patience ?? 0) + HANDSHAKE_MS : ANSWER_MS
    return (await link.request('start', { spec }, { ms })).ok
  }

  async list(): Promise<HostedSession[]> {
    return this.#retryOnce(async () => {
      await this.#links.neededLink()
      const lists = await Promise.all(this.#links.all.map((link) => link.request('list', {}, { ms: ANSWER_MS })))
      return lists.flatMap(({ ok }) => ok.sessions)
    })
  }

  async end(key: string, options: EndOptions = {}): Promise<Ended | undefined> {
    try {
      const ms = (options.grace ?? GRACE_MS) + ENDING_MS
      return await this.#retryOnce(() => this.#ask('end', { key, ...options }, ms))
    } catch (error) {
      if (error instanceof AppError && error.code === 'session-not-found') return undefined
      throw error
    }
  }

  async listDaemons(): Promise<Map<string, ProcessRef[]>> {
    const lists = await Promise.all(this.#links.all.map(listDaemonsOf))
    return new Map(lists.flat().map(({ key, daemons }) => [key, daemons]))
  }

  traffic(key: string): ReturnType<SessionHost['traffic']> {
    return this.#ask('traffic', { key }).then(({ hosts }) => hosts)
  }

  async write(key: string, bytes: Uint8Array | string): Promise<void> {
    const payload = typeof bytes === 'string' ? Buffer.from(bytes) : bytes
    await this.#ask('write', { key }, ANSWER_MS, payload)
  }

  async resize(key: string, cols: number, rows: number): Promise<void> {
    await this.#retryOnce(() => this.#ask('resize', { key, cols, rows }))
  }

  async signal(key: string, signal: ForegroundSignal): Promise<void> {
    await this.#ask('signal', { key, signal })
  }

  screen(key: string, lines?: number, styles = false): Promise<Screen> {
    const wanted = { key, ...(lines !== undefined && { lines }), ...(styles && { styles }) }
    return this.#retryOnce(() => this.#ask('screen', wanted))
  }

  async snapshot(key: string): Promise<Snapshot> {
    const link = this.#links.findOpen(key) ?? (await this.#links.linkFor(key))
    const { ok, payload } = await link.request('snapshot', { key }, { ms: ANSWER_MS })
    return { ...ok, ansi: new TextDecoder().decode(payload) }
  }

  async *follow(key: string, from: number | 'end', signal: AbortSignal): AsyncGenerator<OutputChunk> {
    let next = from
    while (!signal.aborted) {
      const link = this.#links.findOpen(key) ?? (await this.#links.linkFor(key))
      const id = ++this.#lastStream
      const stream = new OutputStream(signal)
      link.join(id, stream)
      try {
        const wanted = { key, stream: id, from: next, grant: STREAM_WINDOW_BYTES }
        const { ok } = await link.request('follow', wanted, { ms: ANSWER_MS })
        next = ok.from
        for (let item = await stream.next(); item !== 'cut'; item = await stream.next()) {
          if (item === undefined || item === 'end') return
          next = 'gap' in item ? item.gap.to : item.offset + item.bytes.length
          yield item
          if ('bytes' in item) this.#grant(link, id, item.bytes.length)
        }
      } finally {
        stream.close()
        link.leave(id)
        if (link.open) link.request('unfollow', { stream: id }, { ms: ANSWER_MS }).catch(() => {})
      }
    }
  }

  async prompt(key: string, turn: string, text: string): Promise<void> {
    await this.#retryOnce(() => this.#ask('prompt', { key, turn, text }, HANDSHAKE_MS))
  }

  async cancel(key: string): Promise<boolean> {
    return (await this.#retryOnce(() => this.#ask('cancel', { key }, CANCEL_MS))).ended
  }

  async mode(key: string, mode: string): Promise<void> {
    await this.#retryOnce(() => this.#ask('mode', { key, mode }, CANCEL_MS))
  }

  async answer(key: string, request: string, choice: string, text?: string): Promise<void> {
    await this.#ask('answer', { key, request, choice, ...(text !== undefined && { text }) })
  }

  question(key: string): Question | undefined {
    return this.#reports.questions.find(key)
  }

  whenQuestionsKnown(): Promise<void> {
    return this.#reports.questions.whenKnown()
  }

  reportsQuestions(key: string): boolean {
    return this.#reports.questions.reports(this.#links.findOpen(key))
  }

  onQuestion(listener: (key: string, question: Question | undefined) => void): () => void {
    return this.#reports.questions.subscribe(listener)
  }

  async answerHost(key: string, said: { host: string; port: number; answer: HostAnswer }): Promise<boolean> {
    return (await this.#ask('answerHost', { key, ...said })).wasAsked
  }

  choose(key: string, question: string, option: string, text?: string): Promise<ChoiceOutcome> {
    const choice = { key, question, option, ...(text !== undefined && { text }) }
    return this.#retryOnce(() => this.#ask('choose', choice, CHOOSE_MS))
  }

  onRecords(listener: (batch: RecordBatch) => unknown): () => void {
    const first = !this.#records.hasListeners
    const stop = this.#records.subscribe(listener)
    if (first) for (const link of this.#links.all) this.#listen(link)
    return stop
  }

  onExit(listener: ExitListener): () => void {
    return this.#exits.subscribe(listener)
  }

  onOutput(key: string | undefined, listener: (key: string, activity: Activity) => void): () => void {
    const subscription = { key, listener }
    this.#outputs.add(subscription)
    return () => this.#outputs.delete(subscription)
  }

  onLost(listener: (sentence: string) => void): () => void {
    return this.#links.onLost(listener)
  }

  async status(): Promise<HostStatus[]> {
    const all = await Promise.all(this.#links.all.map((link) => link.request('status', {}, { ms: ANSWER_MS })))
    return all.map(({ ok }) => ok)
  }

  async shutdown({ grace = GRACE_MS }: { grace?: number } = {}): Promise<void> {
    const links = this.#links.release()
    await Promise.all(links.map((link) => shutdownHost(link, grace, this.options.deadlines)))
  }

  close(): void {
    for (const link of this.#links.release()) link.close()
  }

  async #ask<Op extends Operation>(
    op: Op,
    fields: RequestFields<Op> & { key: string },
    ms = ANSWER_MS,
    payload?: Uint8Array,
  ): Promise<HostResponse<Op>> {
    const link = this.#links.findOpen(fields.key) ?? (await this.#links.linkFor(fields.key))
    return (await link.request(op, fields, { ms, payload })).ok
  }

  /** Asks again when the host went away: for what may be done twice. */
  async #retryOnce<T>(call: () => Promise<T>): Promise<T> {
    try {
      return await call()
    } catch (error) {
      if (!(error instanceof LinkLostError)) throw error
      return await call()
    }
  }

  #grant(link: HostLink, stream: number, bytes: number): void {
    if (link.open) link.request('grant', { stream, bytes }, { ms: ANSWER_MS }).catch(() => {})
  }

  #exit(exit: Exit, link: HostLink): void {
    this.#links.forget(exit.key, link)
    this.#exits.dispatch(exit, () => {
      if (link.open) link.request('acknowledge', { run: exit.run }, { ms: ANSWER_MS }).catch(() => {})
    })
  }

  /** A host of an older build has no protocol agents, and reports that. */
  #listen(link: HostLink): void {
    if (this.#records.hasListeners) link.request('records', {}, { ms: ANSWER_MS }).catch(() => {})
  }

  #acknowledge(link: HostLink, run: string, seq: number): void {
    if (link.open) link.request('kept', { run, seq }, { ms: ANSWER_MS }).catch(() => {})
  }

  #activity(sessions: Activity[]): void {
    for (const activity of sessions) {
      for (const { key, listener } of this.#outputs) {
        if (key === undefined || key === activity.key) listener(activity.key, activity)
      }
    }
  }
}

/** Handles an exit. `false` means that it is not this listener's; anything else, once resolved, that it was stored. */
type ExitListener = (exit: Exit) => unknown

interface PendingExit {
  exit: Exit
  acknowledge: () => void
}

/** Number of acknowledged exits that are remembered, in case a host reports one again. */
const MAX_ACKNOWLEDGED = 1_000

/** Passes each exit to all listeners, and acknowledges it once one has stored it and none has failed. */
class ExitDispatcher {
  readonly #listeners = new Set<ExitListener>()
  readonly #pending = new Map<string, PendingExit>()
  readonly #acknowledged = new Set<string>()

  constructor(private readonly report: (sentence: string) => void) {}

  subscribe(listener: ExitListener): () => void {
    this.#listeners.add(listener)
    for (const pending of this.#pending.values()) void this.#notify(pending, [listener])
    return () => this.#listeners.delete(listener)
  }

  dispatch(exit: Exit, acknowledge: () => void): void {
    if (this.#acknowledged.has(exit.run)) acknowledge()
    else this.#queue({ exit, acknowledge })
  }

  #queue(pending: PendingExit): void {
    this.#pending.set(pending.exit.run, pending)
    void this.#notify(pending, [...this.#listeners])
  }

  async #notify({ exit, acknowledge }: PendingExit, listeners: ExitListener[]): Promise<void> {
    try {
      const results = await Promise.all(listeners.map(async (listener) => listener(exit)))
      if (results.some((stored) => stored !== false)) this.#finish(exit, acknowledge)
    } catch (error) {
      this.report(`the exit of ${exit.key} was not handled: ${errorMessage(error)}`)
    }
  }

  #finish(exit: Exit, acknowledge: () => void): void {
    this.#pending.delete(exit.run)
    this.#acknowledged.add(exit.run)
    for (const run of [...this.#acknowledged].slice(0, -MAX_ACKNOWLEDGED)) this.#acknowledged.delete(run)
    acknowledge()
  }
}

/** Handles records. `false` means that they are not this listener's; anything else, once resolved, that they were stored. */
type RecordListener = (batch: RecordBatch) => unknown

interface AgentRun {
  key: string
  run: string
  waiting: AgentRecord[]
  /** The last record that was received. */
  last: number
  acknowledge: (seq: number) => void
  busy: boolean
}

/** So many runs that have nothing waiting are remembered. */
const MAX_RUNS = 1_000
const MAX_TRIES = 3

/** Passes agents' records to the listeners, run by run and in order, and acknowledges those that were stored. */
class RecordDispatcher {
  readonly #listeners = new Set<RecordListener>()
  readonly #runs = new Map<string, AgentRun>()

  constructor(private readonly report: (sentence: string) => void) {}

  /** True if there is a listener. */
  get hasListeners(): boolean {
    return this.#listeners.size > 0
  }

  subscribe(listener: RecordListener): () => void {
    this.#listeners.add(listener)
    for (const run of this.#runs.values()) void this.#deliver(run)
    return () => this.#listeners.delete(listener)
  }

  /** A host sends again what was not acknowledged when it was last connected. */
  dispatch({ key, run, records }: RecordBatch, acknowledge: (seq: number) => void): void {
    const current = this.#runs.get(run) ?? { key, run, waiting: [], last: 0, acknowledge, busy: false }
    current.acknowledge = acknowledge
    this.#runs.delete(run)
    this.#runs.set(run, current)
    const repeated = records.filter(({ seq }) => seq <= current.last)
    current.waiting.push(...records.filter(({ seq }) => seq > current.last))
    current.last = Math.max(current.last, records.at(-1)?.seq ?? 0)
    const stored = (current.waiting[0]?.seq ?? current.last + 1) - 1
    if (repeated.length > 0 && !current.busy && stored > 0) acknowledge(stored)
    this.#forget()
    void this.#deliver(current)
  }

  async #deliver(run: AgentRun): Promise<void> {
    if (run.busy) return
    run.busy = true
    for (let tries = 0; run.waiting.length > 0 && this.hasListeners && tries < MAX_TRIES; ) {
      const records = [...run.waiting]
      if (await this.#store({ key: run.key, run: run.run, records })) {
        run.waiting.splice(0, records.length)
        run.acknowledge(records.at(-1)?.seq ?? 0)
        tries = 0
      } else tries++
    }
    run.busy = false
  }

  /** True if a listener has stored them and none has failed. */
  async #store(batch: RecordBatch): Promise<boolean> {
    try {
      const results = await Promise.all([...this.#listeners].map(async (listener) => listener(batch)))
      return results.some((stored) => stored !== false)
    } catch (error) {
      this.report(`records of ${batch.key} were not stored: ${errorMessage(error)}`)
      return false
    }
  }

  #forget(): void {
    for (const [run, { waiting }] of this.#runs) {
      if (this.#runs.size <= MAX_RUNS) return
      if (waiting.length === 0) this.#runs.delete(run)
    }
  }
}
