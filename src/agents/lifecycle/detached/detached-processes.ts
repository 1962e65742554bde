import { and, asc, eq } from 'drizzle-orm'
import { gcPart } from '../../../core/actor.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { Signal } from '../../../core/signal.ts'
import type { Store, Tx } from '../../../core/store/index.ts'
import { redactTokens } from '../../../core/text/index.ts'
import type { SessionHost } from '../../../host/client/index.ts'
import {
  findMarked,
  identity,
  isDescendantOf,
  ProcessEnder,
  type ProcessSummary,
  ProcessTable,
  readProcess,
} from '../../../host/process/index.ts'
import { actorOf } from '../../../http/actor-of.ts'
import type { Caller } from '../../../http/caller.ts'
import { displayNameOf, type SessionRepository, type SessionResolver } from '../../../work/sessions/index.ts'
import { ProcessesDetached, ProcessesEnded } from '../../events.ts'
import type { CityEnvironment } from '../../launch/index.ts'
import type {
  DetachedProcess,
  DetachedProcessList,
  DetachedProcessSweep,
  DetachedProcessSweepResult,
  SessionEnding,
} from './schema.ts'
import { type DetachedProcessRow, detachedProcesses } from './table.ts'

/** Milliseconds between TERM and KILL. */
const GRACE_MS = 5_000
/** Maximum rounds of a sweep, each looking for processes started since the last one. */
const MAX_ROUNDS = 3

/** A detached process, with its start time, since pids are reused. */
interface FoundProcess extends ProcessSummary {
  sessionId: string
}

/**
 * Processes that left the terminal session of the agent that started them. They are looked for when a session ends and
 * when somebody asks, never by a timer; those that outlived their session are remembered until they are gone.
 */
export class DetachedProcesses {
  readonly #table = new ProcessTable()
  readonly #ender: ProcessEnder
  readonly #stored: DetachedProcessTable
  readonly #changes = new Signal()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      host: Pick<SessionHost, 'list' | 'listDaemons' | 'status'>
      repository: Pick<SessionRepository, 'find'>
      resolver: Pick<SessionResolver, 'resolve'>
      environment: Pick<CityEnvironment, 'city' | 'home' | 'path'>
    },
  ) {
    this.#ender = new ProcessEnder(this.#table, context.deadlines)
    this.#stored = new DetachedProcessTable(context.store)
  }

  /** Remembers what a session left when it ended. */
  async remember(session: string, left: readonly ProcessSummary[]): Promise<void> {
    const { store, log, clock } = this.context
    const processes = left.filter((one) => isAlive(one) && !isDescendantOf(one.pid, process.pid)).map(withoutTokens)
    if (processes.length === 0) return
    await store.write((tx) => {
      this.#forgetGone(tx)
      this.#changed(tx)
      const added = this.#stored.add(tx, session, processes, clock.now())
      if (added.length === 0) return
      const payload = { session_id: session, processes: added.map(toPayload) }
      log.append(tx, ProcessesDetached, this.#subject(session), payload)
    }, gcPart('sessions'))
  }

  /** Those that outlived their session and still run, oldest first, by session. */
  remembered(): Map<string, { since: number; processes: ProcessSummary[] }> {
    const sessions = new Map<string, { since: number; processes: ProcessSummary[] }>()
    for (const { session, foundAt, ...one } of this.#stored.all().filter(isAlive)) {
      const entry = sessions.get(session) ?? { since: foundAt, processes: [] }
      entry.processes.push(one)
      sessions.set(session, entry)
    }
    return sessions
  }

  /** Calls the listener whenever others are remembered, once that is on disk. */
  readonly onChange = this.#changes.listen

  /** Looks for them now: those of running sessions as well. */
  async list(token?: string): Promise<DetachedProcessList> {
    const session = this.#idOf(token)
    const { found, running } = await this.#find(session)
    const items = found.map((one) => toItem(one, running))
    const ending = await this.#ending(session)
    return { items, total: items.length, ...(ending && { ending }) }
  }

  /** Ends them, and records who asked for it. */
  async sweep(caller: Caller, { session: token, ids }: DetachedProcessSweep): Promise<DetachedProcessSweepResult> {
    const session = this.#idOf(token)
    const wanted = ids && new Set(ids)
    const swept = new Map<string, { one: FoundProcess; item: DetachedProcess }>()
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const { found, running } = await this.#find(session)
      const targets = found.filter((one) => wanted?.has(identity(one)) ?? true)
      if (targets.length === 0) break
      for (const one of targets) swept.set(identity(one), { one, item: toItem(one, running) })
      await this.#ender.endSeen(targets, GRACE_MS)
    }
    const all = [...swept.values()]
    const ended = all.filter(({ one }) => !isAlive(one))
    const processes = ended.map(({ one }) => one)
    if (processes.length > 0) await this.#recordEnd(caller, processes)
    return {
      ended: ended.map(({ item }) => item),
      remaining: all.filter(({ one }) => isAlive(one)).map(({ item }) => item),
    }
  }

  async #recordEnd(caller: Caller, ended: readonly FoundProcess[]): Promise<void> {
    await this.context.store.write((tx) => {
      this.#forgetGone(tx)
      this.#changed(tx)
      const bySession = Map.groupBy(ended, ({ sessionId }) => sessionId)
      for (const [session, processes] of bySession) this.#append(tx, caller, session, processes)
    }, actorOf(caller))
  }

  #append(tx: Tx, caller: Caller, session: string, processes: readonly FoundProcess[]): void {
    const attributes = {
      ...this.#subject(session),
      ...(caller.kind === 'session' && { session_id: caller.session }),
    }
    const payload = { session_id: session, processes: processes.map(toPayload) }
    this.context.log.append(tx, ProcessesEnded, attributes, payload)
  }

  /** Records that end with a running session or with the next one; undefined before the first. */
  async #ending(session: string | undefined): Promise<SessionEnding | undefined> {
    const { host } = this.peers
    const [hosts, hosted] = await Promise.all([host.status(), host.list()])
    const own = hosted.find(({ key, state }) => state === 'running' && this.#sessionOf(key) === session)
    if (own?.cgroup !== undefined) return { by: 'cgroup' }
    const next = hosts.find(({ retired }) => !retired)
    if (!own && !next) return undefined
    if (!own && next?.noCgroup === '') return { by: 'cgroup' }
    return { by: 'processes', reason: next?.noCgroup || 'its host gives none' }
  }

  /**
   * Candidates of one session or all: released daemons, processes with marks of ended sessions, and remembered ones.
   */
  async #find(session: string | undefined): Promise<{ found: FoundProcess[]; running: ReadonlySet<string> }> {
    const { host, environment } = this.peers
    const marked = await findMarked(this.#table, { home: environment.home, city: environment.path })
    const [hosted, daemons] = await Promise.all([host.list(), host.listDaemons()])
    const running = new Set(
      hosted.flatMap(({ key, state }) => (state === 'running' ? (this.#sessionOf(key) ?? []) : [])),
    )
    const released = [...daemons].flatMap(([key, processes]) => {
      const sessionId = this.#sessionOf(key)
      return sessionId === undefined ? [] : processes.map((one) => ({ ...one, sessionId }))
    })
    const remembered = this.#stored.all().map(({ session: sessionId, ...one }) => ({ ...one, sessionId }))
    const all = [...remembered, ...released, ...marked.filter(({ sessionId }) => !running.has(sessionId))]
    const unique = new Map(all.map((one) => [identity(one), withoutTokens(one)]))
    const found = [...unique.values()].filter(
      (one) =>
        (session === undefined || one.sessionId === session) && isAlive(one) && !isDescendantOf(one.pid, process.pid),
    )
    return { found, running }
  }

  #changed(tx: Tx): void {
    tx.after(() => this.#changes.emit())
  }

  #forgetGone(tx: Tx): void {
    for (const row of this.#stored.all()) if (!isAlive(row)) this.#stored.remove(tx, row)
  }

  #idOf(token: string | undefined): string | undefined {
    return token === undefined ? undefined : this.peers.resolver.resolve(token, { past: true }).id
  }

  /** The session of this city that a host runs under a key. */
  #sessionOf(key: string): string | undefined {
    const [city, id] = key.split('/')
    return city === this.peers.environment.city ? id : undefined
  }

  #subject(session: string): { subject: string } {
    const row = this.peers.repository.find(session)
    return { subject: row ? displayNameOf(row) : session }
  }
}

function isAlive({ pid, started }: ProcessSummary): boolean {
  const now = readProcess(pid)
  return now !== undefined && !now.zombie && now.started === started
}

const withoutTokens = <T extends ProcessSummary>(one: T): T => ({ ...one, command: redactTokens(one.command) })

const toPayload = ({ pid, command }: ProcessSummary) => ({ pid, command })

const toItem = (one: FoundProcess, running: ReadonlySet<string>): DetachedProcess => ({
  id: identity(one),
  pid: one.pid,
  command: one.command,
  session_id: one.sessionId,
  session_running: running.has(one.sessionId),
})

/** So many are remembered in a city; beyond that the others are still found by their environment. */
const MAX_REMEMBERED = 500

/** The detached processes that a city remembers. */
class DetachedProcessTable {
  constructor(private readonly store: Store) {}

  /** All of them, oldest first. */
  all(): DetachedProcessRow[] {
    return this.store.read((orm) => orm.select().from(detachedProcesses).orderBy(asc(detachedProcesses.foundAt)).all())
  }

  /** Adds processes of a session; returns those that were not there. */
  add(tx: Tx, session: string, processes: readonly ProcessSummary[], foundAt: number): ProcessSummary[] {
    const room = MAX_REMEMBERED - this.all().length
    return processes.slice(0, Math.max(0, room)).filter(({ pid, started, command }) => {
      const row = { session, pid, started, command, foundAt }
      return tx.orm.insert(detachedProcesses).values(row).onConflictDoNothing().returning().all().length > 0
    })
  }

  remove(tx: Tx, { session, pid, started }: DetachedProcessRow): void {
    tx.orm
      .delete(detachedProcesses)
      .where(
        and(
          eq(detachedProcesses.session, session),
          eq(detachedProcesses.pid, pid),
          eq(detachedProcesses.started, started),
        ),
      )
      .run()
  }
}
