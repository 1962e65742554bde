import { asc, eq } from 'drizzle-orm'
import type { CityContext } from '../../../core/city-context.ts'
import { Signal } from '../../../core/signal.ts'
import { command, query, stablePlan, type Tx } from '../../../core/store/index.ts'
import type { RecordBatch } from '../../../host/client/index.ts'
import type { AgentMode, AgentRecord } from '../../../host/protocol/index.ts'
import type { AskedQuestion } from './questions.ts'
import { acpQuestions, acpRuns, acpSessions, type QuestionRow } from './table.ts'

const MAX_RECORDS_PER_WRITE = 200
const MAX_BYTES_PER_WRITE = 256 << 10
/** Beyond this size the oldest records of a session are deleted. */
const MAX_BYTES_PER_SESSION = 32 << 20

/** A turn that is over, with its error when it failed; the program can take another. */
export interface EndedTurn {
  session: string
  key: string
  /** Reason it ended, as the program says. */
  reason: string
  /** Usage of the turn; undefined if the program reports none. */
  usage: unknown
  error: string | undefined
}

/** A stored record; ids increase in the order of arrival. */
export interface StoredRecord {
  readonly id: number
  readonly body: string
}

const INSERT = command<[string, string]>('INSERT INTO acp_records (session_id, body) VALUES (?, ?)')

const RECORDS_AFTER = query<StoredRecord, [string, number]>(
  stablePlan('SELECT id, body FROM acp_records WHERE session_id = ? AND id > ? ORDER BY id LIMIT 5000'),
)

const HAS_TURN = query<unknown, [string]>("SELECT 1 FROM acp_runs WHERE host_key = ? AND turn != ''")

const HAS_RUN = query<unknown, [string]>('SELECT 1 FROM acp_runs WHERE session_id = ? LIMIT 1')

const ID_BEFORE = query<{ id: number }, [string, number]>(
  stablePlan('SELECT id FROM acp_records WHERE session_id = ? ORDER BY id DESC LIMIT 1 OFFSET ?'),
)

const DELETE_OLDEST = command<[string], { bytes: number }>(
  stablePlan(`DELETE FROM acp_records WHERE id IN
         (SELECT id FROM acp_records WHERE session_id = ? ORDER BY id LIMIT ${2 * MAX_RECORDS_PER_WRITE})
       RETURNING length(body) AS bytes`),
)

/** The conversations with programs that speak ACP: stores their records once, in order, and tracks turns and questions. */
export class AcpConversations {
  readonly #stored = new Signal<[session: string]>()
  readonly #turnEnded = new Signal<[turn: EndedTurn]>()
  readonly #acpHostKeys = new Set<string>()

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      city: string
      /** A conversation was opened; its id is undefined when a later start cannot resume it. */
      onConversationOpened(tx: Tx, session: string, conversation: string | undefined): void
      onAsked(tx: Tx, question: AskedQuestion): void
      /** A question needs no answer any more; without a choice its turn ended before there was one. */
      onAnswered(tx: Tx, question: QuestionRow, choice: string | undefined): void
    },
  ) {
    const { store } = context
    const runs = store.read((orm) => orm.select({ key: acpRuns.hostKey }).from(acpRuns).all())
    for (const { key } of runs) this.#acpHostKeys.add(key)
  }

  /** Registers a program that speaks ACP before it is started. */
  begin(tx: Tx, key: string, session: { id: string; template: string }): void {
    const { id: sessionId, template } = session
    tx.orm.insert(acpRuns).values({ hostKey: key, sessionId }).onConflictDoNothing().run()
    tx.orm.insert(acpSessions).values({ sessionId, template }).onConflictDoNothing().run()
    this.#acpHostKeys.add(key)
  }

  /** True if the program under this host key speaks ACP. */
  usesAcp(key: string | null): boolean {
    return key !== null && this.#acpHostKeys.has(key)
  }

  /** True if a session's program ever spoke ACP. */
  hasRecords(session: string): boolean {
    return this.context.store.read(() => this.context.store.get(HAS_RUN, session)) !== null
  }

  /** The id before the newest records of a session. */
  positionBeforeLast(session: string, newest: number): number {
    return this.context.store.read(() => this.context.store.get(ID_BEFORE, session, newest))?.id ?? 0
  }

  /** True if the program works on a turn. */
  isInTurn(key: string): boolean {
    return this.context.store.read(() => this.context.store.get(HAS_TURN, key)) !== null
  }

  /** The open questions of a program, oldest first. */
  questions(key: string): QuestionRow[] {
    const condition = eq(acpQuestions.hostKey, key)
    return this.context.store.read((orm) =>
      orm
        .select()
        .from(acpQuestions)
        .where(condition)
        .orderBy(asc(acpQuestions.askedAt), asc(acpQuestions.request))
        .all(),
    )
  }

  /** The modes that a session's program offered, or else those of another session of the same agent. */
  modes(session: string, template: string): AgentMode[] {
    return this.context.store.read((orm) => {
      const own = orm.select().from(acpSessions).where(eq(acpSessions.sessionId, session)).get()
      if (own && own.modes.length > 0) return own.modes
      const others = orm.select().from(acpSessions).where(eq(acpSessions.template, template)).all()
      return others.findLast(({ modes }) => modes.length > 0)?.modes ?? []
    })
  }

  requestedMode(session: string): string | undefined {
    const condition = eq(acpSessions.sessionId, session)
    return (
      this.context.store.read((orm) => orm.select().from(acpSessions).where(condition).get())?.wantedMode ?? undefined
    )
  }

  /** Sets the mode that the session's next run starts in. */
  requestMode(tx: Tx, session: { id: string; template: string }, mode: string): void {
    const row = { sessionId: session.id, template: session.template, wantedMode: mode }
    tx.orm
      .insert(acpSessions)
      .values(row)
      .onConflictDoUpdate({ target: acpSessions.sessionId, set: { wantedMode: mode } })
      .run()
  }

  /** The records of a session after an id, at most 5,000. */
  recordsAfter(session: string, place: number): StoredRecord[] {
    return this.context.store.read(() => this.context.store.all(RECORDS_AFTER, session, place))
  }

  /** Calls the listener when records of a session were stored. */
  readonly onRecords = this.#stored.listen

  /** Calls the listener whenever a turn is over, once that is on disk. */
  readonly onTurnEnd = this.#turnEnded.listen

  /** Stores the records of a program; false when it belongs to another city. */
  async ingest({ key, records }: RecordBatch): Promise<boolean> {
    const [city, session] = key.split('/')
    if (city !== this.options.city || session === undefined) return false
    for (const batch of batchesOf(records))
      await this.context.store.write((tx) => this.#insertRecords(tx, key, session, batch), {
        kind: 'session',
        name: session,
        session,
      })
    return true
  }

  #insertRecords(tx: Tx, key: string, session: string, batch: readonly SerializedRecord[]): void {
    const run = tx.orm.select().from(acpRuns).where(eq(acpRuns.hostKey, key)).get()
    const fresh = batch.filter(({ record }) => record.seq > (run?.lastSeq ?? 0))
    const last = fresh.at(-1)
    if (!run || !last) return
    let bytes = 0
    for (const { record, body } of fresh) {
      bytes += body.length
      tx.run(INSERT, session, body)
      this.#apply(tx, key, session, record)
    }
    tx.orm.update(acpRuns).set({ lastSeq: last.record.seq }).where(eq(acpRuns.hostKey, key)).run()
    this.#enforceLimit(tx, session, bytes)
    tx.after(() => this.#stored.emit(session))
  }

  /** Applies a record to the state of its run. */
  #apply(tx: Tx, key: string, session: string, record: AgentRecord): void {
    const condition = eq(acpRuns.hostKey, key)
    if (record.type === 'ready') this.#ready(tx, session, record)
    if (record.type === 'turn') tx.orm.update(acpRuns).set({ turn: record.turn }).where(condition).run()
    if (record.type === 'asked') this.#recordQuestion(tx, key, session, record)
    if (record.type === 'answered') this.#answered(tx, record)
    if (record.type !== 'done') return
    tx.orm.update(acpRuns).set({ turn: '' }).where(condition).run()
    const { reason, usage, error } = record
    tx.after(() => this.#turnEnded.emit({ session, key, reason, usage, error }))
  }

  #ready(tx: Tx, session: string, { conversation, resumable, modes }: RecordOf<'ready'>): void {
    tx.orm.update(acpSessions).set({ modes }).where(eq(acpSessions.sessionId, session)).run()
    this.options.onConversationOpened(tx, session, resumable ? conversation : undefined)
  }

  #recordQuestion(tx: Tx, hostKey: string, sessionId: string, record: RecordOf<'asked'>): void {
    const { request, at, tool, choices, options } = record
    const question = { request, sessionId, hostKey, askedAt: Date.parse(at), tool, choices }
    tx.orm.insert(acpQuestions).values(question).onConflictDoNothing().run()
    this.options.onAsked(tx, { ...question, ...(options && { options }) })
  }

  #answered(tx: Tx, { request, choice }: RecordOf<'answered'>): void {
    const question = tx.orm.delete(acpQuestions).where(eq(acpQuestions.request, request)).returning().get()
    if (question) this.options.onAnswered(tx, question, choice)
  }

  #enforceLimit(tx: Tx, session: string, more: number): void {
    const condition = eq(acpSessions.sessionId, session)
    const row = tx.orm.select().from(acpSessions).where(condition).get()
    if (!row) return
    let bytes = row.bytes + more
    if (bytes > MAX_BYTES_PER_SESSION) for (const dropped of tx.all(DELETE_OLDEST, session)) bytes -= dropped.bytes
    tx.orm.update(acpSessions).set({ bytes }).where(condition).run()
  }
}

export type RecordOf<Type extends AgentRecord['type']> = Extract<AgentRecord, { type: Type }>

interface SerializedRecord {
  record: AgentRecord
  body: string
}

/** Splits records into batches for one write each. */
function* batchesOf(records: readonly AgentRecord[]): Generator<readonly SerializedRecord[]> {
  let batch: SerializedRecord[] = []
  let bytes = 0
  for (const record of records) {
    const body = JSON.stringify(record)
    batch.push({ record, body })
    bytes += body.length
    if (batch.length < MAX_RECORDS_PER_WRITE && bytes < MAX_BYTES_PER_WRITE) continue
    yield batch
    batch = []
    bytes = 0
  }
  if (batch.length > 0) yield batch
}
