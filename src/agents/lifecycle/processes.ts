import { randomBytes } from 'node:crypto'
import type { CityConfig } from '../../config/city-config.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { StartResult } from '../../host/protocol/session.ts'
import type { AcpConversations } from '../conversations/acp/conversations.ts'
import type { SessionEventRecorder } from '../sessions/event-recorder.ts'
import type { SessionHost } from '../sessions/host.ts'
import type { SessionRepository } from '../sessions/repository.ts'
import type { SessionRow } from '../sessions/table.ts'
import type { SessionTokens } from '../sessions/tokens.ts'
import type { ExitHandler } from './exit-handler.ts'
import type { ProcessExit } from './exit-rules.ts'
import { LIVE } from './fingerprint.ts'
import type { Launcher, PreparedLaunch } from './launcher.ts'
import type { SetupCommands } from './setup-commands.ts'

/** The size of a terminal that nobody has attached to yet. */
const COLS = 120
const ROWS = 40

interface Parts {
  store: Store
  clock: Clock
  city: string
  config: { readonly current: Pick<CityConfig, 'daemon' | 'session'> }
  host: SessionHost
  book: SessionRepository
  tokens: SessionTokens
  burial: ExitHandler
  launcher: Launcher
  chronicle: SessionEventRecorder
  setup: SetupCommands
  /** The session with the folder it is to work in, which is there from now on. */
  housed(row: SessionRow): Promise<SessionRow>
  conversations: AcpConversations
  /** Runs in the write in which a session's program came up. */
  started(tx: Tx, row: SessionRow, typed: string | undefined): void
}

/** Starts and ends the programs of sessions. Each step is on disk before the next, so that a crash can be gone on from. */
export class SessionProcesses {
  readonly #busy = new Map<string, Promise<unknown>>()

  constructor(private readonly parts: Parts) {}

  /** Whether something is being done to a session right now. */
  isBusy(id: string): boolean {
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

  /** Applies to a running session what changed of its declaration and needs no new start. */
  refresh(id: string): Promise<void> {
    return this.exclusively(id, () => this.#refresh(id))
  }

  /** Ends a program that can do nothing until its usage limit is lifted, and holds the session for a while. */
  limit(id: string, key: string, said: string): Promise<void> {
    return this.exclusively(id, async () => {
      if (this.parts.book.find(id)?.hostKey !== key) return
      await this.#endProcess(key)
      await this.parts.burial.recordExit(id, key, { how: 'exited', limited: true }, said)
    })
  }

  /** Ends a process and buries the session it belonged to. */
  end(key: string, id: string | undefined): Promise<void> {
    if (id === undefined) return this.#endProcess(key)
    return this.exclusively(id, () => this.#end(key, id))
  }

  /** Records that a session's process is gone, and everything that follows from it, in one write. */
  recordExit(id: string, key: string, exit: ProcessExit, said?: string): Promise<void> {
    return this.exclusively(id, () => this.parts.burial.recordExit(id, key, exit, said))
  }

  /** Ends a session's process on request; `first` is on disk before, and `as` says what the session is then. */
  stop(id: string, as: (tx: Tx, row: SessionRow) => void, first?: (tx: Tx) => void): Promise<void> {
    return this.exclusively(id, async () => {
      if (first) await this.parts.store.write(first)
      const key = this.parts.book.find(id)?.hostKey
      if (key) await this.#endProcess(key)
      await this.parts.store.write((tx) => {
        const row = this.parts.burial.releaseProcess(tx, id)
        if (row) as(tx, row)
      })
    })
  }

  /** Ends a process: it has `shutdown_timeout` to go by itself. */
  async #endProcess(key: string): Promise<void> {
    await this.parts.host.end(key, { grace: this.parts.config.current.daemon.shutdownTimeout })
  }

  async #start(id: string): Promise<void> {
    const { store, book, launcher, setup } = this.parts
    const began = this.parts.clock.now()
    const begun = await store.write((tx) => this.#begin(tx, id))
    let prepared: PreparedLaunch
    let process: StartResult
    try {
      prepared = launcher.prepare(await this.parts.housed(begun.row), begun.token)
      await setup.before(begun.row, prepared)
      process = await this.#spawn(begun, prepared)
    } catch (error) {
      if (!isKnownFailure(error)) throw error
      return this.parts.burial.recordExit(id, begun.key, { how: 'refused' }, errorMessage(error))
    }
    if (book.find(id)?.hostKey !== begun.key) return
    const failures = await setup.after(begun.row, prepared)
    const afresh = prepared.resume !== undefined && process.resumed === false
    const typed = afresh ? prepared.freshPrompt : prepared.typedPrompt
    await this.#ready(id, process, typed, { prepared, failures, began })
  }

  async #spawn({ row, key }: { row: SessionRow; key: string }, prepared: PreparedLaunch): Promise<StartResult> {
    const { host, store, conversations } = this.parts
    const { argv, cwd, env, transport, resume, model, servers } = prepared
    const spec = { key, argv, cwd, env, cols: COLS, rows: ROWS }
    if (transport === 'terminal') return host.start(spec)
    await store.write((tx) => conversations.begin(tx, key, row))
    const mode = conversations.requestedMode(row.id)
    const patience = this.parts.config.current.session.startupTimeout
    const acp = {
      patience,
      servers,
      ...(resume !== undefined && { resume }),
      ...(mode !== undefined && { mode }),
      ...(model !== undefined && { model }),
    }
    return host.start({ ...spec, kind: 'acp', acp })
  }

  /** Its commands run as at its start, but without its token, which only its program was given. */
  async #refresh(id: string): Promise<void> {
    const { store, book, clock, launcher, setup, chronicle } = this.parts
    const row = book.find(id)
    if (row?.state !== 'active' || row.hostKey === null) return
    const began = clock.now()
    const { cwd, env, fingerprint } = launcher.prepare(row, '')
    const { GC_TOKEN: _, ...tokenless } = env
    const failures = await setup.again(row, { cwd, env: tokenless })
    await store.write((tx) => {
      const now = book.find(id)
      if (now?.hostKey !== row.hostKey) return
      const live = fingerprint[LIVE] ?? ''
      const changed = book.update(tx, id, { fingerprint: { ...now.fingerprint, [LIVE]: live } })
      for (const error of failures) chronicle.operation(tx, changed, 'reset', began, { error })
      chronicle.updated(tx, changed)
    })
  }

  /** The prompt that is still to be typed into a program whose start was not recorded. */
  #typed(id: string): string | undefined {
    try {
      return this.parts.launcher.prepare(this.parts.book.get(id), '').typedPrompt
    } catch (error) {
      if (error instanceof AppError) return undefined
      throw error
    }
  }

  #begin(tx: Tx, id: string): { row: SessionRow; token: string; key: string } {
    const { book, tokens, city } = this.parts
    const before = book.get(id)
    const key = `${city}/${id}/${randomBytes(8).toString('hex')}`
    const row = book.transition(tx, id, 'begin', {
      generation: before.generation + 1,
      hostKey: key,
      pid: null,
      processStarted: null,
      retryAt: null,
      resumed: false,
    })
    return { row, token: tokens.issue(tx, id, row.generation), key }
  }

  async #ready(
    id: string,
    process: { pid: number; startedAt: string },
    typed: string | undefined,
    how?: { prepared: PreparedLaunch; failures: readonly string[]; began: number },
  ): Promise<void> {
    const { store, book, clock, chronicle } = this.parts
    await store.write((tx) => {
      if (book.get(id).state !== 'creating') return
      const now = clock.now()
      const row = book.transition(tx, id, 'ready', {
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
    await this.#endProcess(key)
    await this.parts.burial.recordExit(id, key, { how: 'lost' })
  }
}

/** Whether a start is known not to have happened; otherwise the next listing of the host tells. */
const isKnownFailure = (error: unknown): boolean => error instanceof AppError && error.code !== 'gateway-timeout'
