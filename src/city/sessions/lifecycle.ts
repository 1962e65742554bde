import { randomBytes } from 'node:crypto'
import type { Clock } from '../../core/clock.ts'
import { Refusal, sentence } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { Started } from '../../runtime/host/hosted.ts'
import type { Conversations } from '../acp/conversations.ts'
import { type Aftermath, afterDeath, type Departed, type Exit } from './aftermath.ts'
import type { SessionBook, SessionChange } from './book.ts'
import type { Chronicle } from './chronicle.ts'
import type { SessionHost } from './host.ts'
import type { Launcher, Prepared } from './launcher.ts'
import { workNamesOf } from './metadata.ts'
import type { Setup } from './setup.ts'
import type { SessionRow } from './table.ts'
import type { Tokens } from './tokens.ts'
import type { Command, SessionState } from './transitions.ts'
import type { Troubles } from './troubles.ts'
import type { Workload } from './workload.ts'

/** The size of a terminal that nobody has attached to yet. */
const COLS = 120
const ROWS = 40

interface Parts {
  store: Store
  clock: Clock
  city: string
  host: SessionHost
  book: SessionBook
  tokens: Tokens
  troubles: Troubles
  workload: Workload
  launcher: Launcher
  chronicle: Chronicle
  setup: Setup
  /** The session with the folder it is to work in, which is there from now on. */
  housed(row: SessionRow): Promise<SessionRow>
  conversations: Conversations
  claims: { loseAll(tx: Tx, session: string, names?: readonly string[]): void }
  /** Runs in the write in which a session's program came up. */
  started(tx: Tx, row: SessionRow, typed: string | undefined): void
  /** A session ended against anyone's will. */
  died(row: SessionRow): void
  /** Runs in the write in which a session came to rest: closed, failed or asleep. */
  settled(tx: Tx, row: SessionRow, sentence: string): void
}

const COMMANDS: Partial<Record<SessionState, Command>> = {
  closed: 'close',
  asleep: 'sleep',
  quarantined: 'quarantine',
  'start-pending': 'retry',
  'failed-create': 'fail',
}

/** Starts and ends the programs of sessions. Each step is on disk before the next, so that a crash can be gone on from. */
export class Lifecycle {
  readonly #busy = new Map<string, Promise<unknown>>()

  constructor(private readonly parts: Parts) {}

  /** Whether something is being done to a session right now. */
  busy(id: string): boolean {
    return this.#busy.has(id)
  }

  /** Does one thing at a time to a session. */
  exclusively<T>(id: string, work: () => Promise<T>): Promise<T> {
    const before = this.#busy.get(id) ?? Promise.resolve()
    const run = before.then(work, work)
    const done = run
      .catch(() => {})
      .then(() => {
        if (this.#busy.get(id) === done) this.#busy.delete(id)
      })
    this.#busy.set(id, done)
    return run
  }

  /** Starts a stopped session's program; its state tells how that went. */
  start(id: string): Promise<void> {
    return this.exclusively(id, () => this.#start(id))
  }

  /** Takes over a process that was started before a crash could record it. */
  adopt(id: string, process: { pid: number; startedAt: string }): Promise<void> {
    return this.exclusively(id, () => this.#ready(id, process, this.#typed(id)))
  }

  /** Ends a program that can do nothing until its usage limit is lifted, and holds the session for a while. */
  limit(id: string, key: string, said: string): Promise<void> {
    return this.exclusively(id, async () => {
      if (this.parts.book.find(id)?.hostKey !== key) return
      await this.parts.host.end(key)
      await this.#bury(id, key, { how: 'exited', limited: true }, said)
    })
  }

  /** Ends a process and buries the session it belonged to. */
  end(key: string, id: string | undefined): Promise<void> {
    if (id === undefined) return this.parts.host.end(key).then(() => {})
    return this.exclusively(id, () => this.#end(key, id))
  }

  /** Records that a session's process is gone, and everything that follows from it, in one write. */
  bury(id: string, key: string, exit: Exit, said?: string): Promise<void> {
    return this.exclusively(id, () => this.#bury(id, key, exit, said))
  }

  /** Ends a session's process on request; `first` is on disk before, and `as` says what the session is then. */
  stop(id: string, as: (tx: Tx, row: SessionRow) => void, first?: (tx: Tx) => void): Promise<void> {
    return this.exclusively(id, async () => {
      if (first) await this.parts.store.write(first)
      const key = this.parts.book.find(id)?.hostKey
      if (key) await this.parts.host.end(key)
      await this.parts.store.write((tx) => {
        const row = this.#gone(tx, id)
        if (row) as(tx, row)
      })
    })
  }

  async #start(id: string): Promise<void> {
    const { store, book, launcher, setup } = this.parts
    const began = this.parts.clock.now()
    const begun = await store.write((tx) => this.#begin(tx, id))
    let prepared: Prepared
    let process: Started
    try {
      prepared = launcher.prepare(await this.parts.housed(begun.row), begun.token)
      await setup.before(begun.row, prepared)
      process = await this.#spawn(begun, prepared)
    } catch (thrown) {
      if (!known(thrown)) throw thrown
      return this.#bury(id, begun.key, { how: 'refused' }, sentence(thrown))
    }
    if (book.find(id)?.hostKey !== begun.key) return
    const failures = await setup.after(begun.row, prepared)
    const afresh = prepared.resume !== undefined && process.resumed === false
    const typed = afresh ? prepared.afresh : prepared.typed
    await this.#ready(id, process, typed, { prepared, failures, began })
  }

  async #spawn({ row, key }: { row: SessionRow; key: string }, prepared: Prepared): Promise<Started> {
    const { host, store, conversations } = this.parts
    const { argv, cwd, env, transport, resume } = prepared
    const spec = { key, argv, cwd, env, cols: COLS, rows: ROWS }
    if (transport === 'terminal') return host.start(spec)
    await store.write((tx) => conversations.begin(tx, key, row))
    const mode = conversations.wantedMode(row.id)
    const acp = { ...(resume !== undefined && { resume }), ...(mode !== undefined && { mode }) }
    return host.start({ ...spec, kind: 'acp', acp })
  }

  /** The prompt that is still to be typed into a program whose start was not recorded. */
  #typed(id: string): string | undefined {
    try {
      return this.parts.launcher.prepare(this.parts.book.need(id), '').typed
    } catch (thrown) {
      if (thrown instanceof Refusal) return undefined
      throw thrown
    }
  }

  #begin(tx: Tx, id: string): { row: SessionRow; token: string; key: string } {
    const { book, tokens, city } = this.parts
    const before = book.need(id)
    const key = `${city}/${id}/${randomBytes(8).toString('hex')}`
    const row = book.move(tx, id, 'begin', {
      generation: before.generation + 1,
      hostKey: key,
      pid: null,
      processStarted: null,
      retryAt: null,
      resumed: false,
    })
    return { row, token: tokens.mint(tx, id, row.generation), key }
  }

  async #ready(
    id: string,
    process: { pid: number; startedAt: string },
    typed: string | undefined,
    how?: { prepared: Prepared; failures: readonly string[]; began: number },
  ): Promise<void> {
    const { store, book, clock, chronicle } = this.parts
    await store.write((tx) => {
      if (book.need(id).state !== 'creating') return
      const now = clock.now()
      const row = book.move(tx, id, 'ready', {
        pid: process.pid,
        processStarted: process.startedAt,
        wokeAt: now,
        activeAt: now,
        wakeRequestedAt: null,
        ...(how && { resumed: how.prepared.resumed, fingerprint: { ...how.prepared.fingerprint } }),
      })
      chronicle.woke(tx, row)
      if (how) chronicle.operation(tx, row, 'start', how.began)
      for (const failure of how?.failures ?? []) chronicle.operation(tx, row, 'start', now, { error: failure })
      this.parts.started(tx, row, typed)
    })
  }

  async #end(key: string, id: string): Promise<void> {
    await this.parts.host.end(key)
    await this.#bury(id, key, { how: 'lost' })
  }

  async #bury(id: string, key: string, exit: Exit, said?: string): Promise<void> {
    const { store, book, clock } = this.parts
    await store.write((tx) => {
      const before = book.find(id)
      if (before?.hostKey !== key) return
      const after = afterDeath(this.#departed(before), exit, clock.now())
      const why = said ?? describe(exit, before)
      this.#gone(tx, id, after.state === 'closed')
      this.#blame(tx, before, after, exit, why)
      const row = this.#settle(tx, before, after)
      this.parts.chronicle.ended(tx, before, after, exit, said)
      if (after.crashed) tx.after(() => this.parts.died(before))
      if (after.state !== 'start-pending') this.parts.settled(tx, row, why)
    })
  }

  /** The incarnation is over: its token dies, then its claims are offered again. */
  #gone(tx: Tx, id: string, forGood = false): SessionRow | undefined {
    const { book, tokens, claims } = this.parts
    const row = book.find(id)
    if (!row) return undefined
    tokens.end(tx, id)
    claims.loseAll(tx, id, forGood ? workNamesOf(row) : [])
    return book.patch(tx, id, { hostKey: null, pid: null, processStarted: null })
  }

  #departed(row: SessionRow): Departed {
    return {
      state: row.state,
      reason: row.reason,
      origin: row.origin,
      wokeAt: row.wokeAt ?? 0,
      failures: row.failures,
      churn: row.churn,
      wanted: row.wakeRequestedAt !== null,
      work: this.parts.workload.held(workNamesOf(row)).flatMap(({ id, status }) => (status === 'open' ? [] : [id])),
      madeFor: row.work || undefined,
      untouched: row.work !== null && this.parts.workload.untouched(row.work),
      scaled: row.work === '',
      resumed: row.resumed,
    }
  }

  #blame(tx: Tx, row: SessionRow, after: Aftermath, exit: Exit, reason: string): void {
    const { troubles } = this.parts
    if (exit.limited && row.kind === 'agent') troubles.hold(tx, 'agent', row.template, after.quarantinedUntil, reason)
    for (const bead of after.blamed) troubles.count(tx, 'bead', bead, reason)
    if (row.kind !== 'agent') return
    if (after.suspect) troubles.count(tx, 'agent', row.template, reason)
    else if (exit.how !== 'lost' && !exit.limited) troubles.clear(tx, 'agent', row.template)
  }

  #settle(tx: Tx, before: SessionRow, after: Aftermath): SessionRow {
    const { book, clock } = this.parts
    const change: SessionChange = {
      reason: after.reason,
      failures: after.failures,
      churn: after.churn,
      retryAt: after.retryAt || null,
      quarantinedUntil: after.quarantinedUntil || null,
      busyUntil: null,
      ...(after.fresh && { sessionKey: null }),
      ...(after.restart && { wakeRequestedAt: clock.now() }),
      ...(after.state === 'asleep' && { sleptAt: clock.now() }),
      ...(after.state === 'closed' && { closedAt: clock.now() }),
    }
    const command = after.state === before.state ? undefined : COMMANDS[after.state]
    return command ? book.move(tx, before.id, command, change) : book.patch(tx, before.id, change)
  }
}

/** Whether a start is known not to have happened; otherwise the next listing of the host tells. */
const known = (thrown: unknown): boolean => thrown instanceof Refusal && thrown.code !== 'gateway-timeout'

/** How the process of a session ended, in a sentence. */
function describe(exit: Exit, { state, reason }: SessionRow): string {
  if (exit.limited) return 'the usage limit of its model is reached'
  if (state === 'draining' && reason === 'no-wake-reason') return 'it claimed nothing for a minute and was let go'
  if (state === 'draining') return `it was let go (${reason})`
  if (exit.how === 'lost') return 'its program was gone when the host was looked at'
  if (exit.how === 'refused') return 'its program could not be started'
  if (exit.signal !== undefined) return `its program was ended by ${exit.signal}`
  return exit.code === 0 ? 'its program ended' : `its program ended with exit code ${exit.code ?? 'unknown'}`
}
