import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import type { AgentConfig } from '../../config/city-config.ts'
import type { Config } from '../../config/config.ts'
import { GitRunner } from '../../config/git/git-runner.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import { createFolder } from '../../core/folders.ts'
import type { Orm } from '../../core/orm.ts'
import type { Store } from '../../core/store.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { WorktreeReaped, WorktreeReapSkipped } from './events.ts'
import { WorktreeGit } from './git.ts'
import { reasonToKeep } from './keep-reason.ts'
import type { Worktree, WorktreeList } from './schema.ts'
import { type WorktreeRow, worktrees } from './table.ts'

/** How far a session is: it is to go on, its program is still to end, or it is over. */
export type OwnerState = 'live' | 'ending' | 'over'

interface WorktreesOptions {
  store: Store
  log: EventLog
  reactions: Reactions
  clock: Clock
  deadlines: Deadlines
  config: Pick<Config, 'current'>
  /** What git inherits. */
  env: Readonly<Record<string, string | undefined>>
  ownerState(session: string): OwnerState
  report(message: string): void
}

/** Of a session, what its worktree is made for. */
interface WorktreeOwner {
  id: string
  sessionName: string
  rig: string
  work: string | null
}

/** The worktree of a session: asked at every bead that is closed. */
const oneOf = (orm: Orm) =>
  orm
    .select()
    .from(worktrees)
    .where(eq(worktrees.session, sql.placeholder('session')))
    .prepare()

/** How soon to look again for a program that is about to end. */
const AGAIN = 5_000

/**
 * One worktree for each session of an agent that asks for it. It is taken away when its session is over and all that
 * was done there is merged or pushed; otherwise it stays, is listed with the reason, and is a person's to remove.
 */
export class Worktrees {
  readonly #git: WorktreeGit
  readonly #one: ReturnType<typeof oneOf>
  #sweeping: Promise<void> = Promise.resolve()
  #again: Deadline | undefined
  #closed = false

  constructor(private readonly options: WorktreesOptions) {
    const { deadlines, env, reactions, store } = options
    this.#one = oneOf(store.orm)
    this.#git = new WorktreeGit(new GitRunner({ deadlines, env }))
    reactions.on('worktrees.sessions', ['bead.closed'], (tx, { subject }) => {
      if (subject !== undefined && this.#find(subject)) tx.after(() => void this.sweep())
    })
  }

  /** Looks after what a stop or a crash left. */
  start(): void {
    if (this.#all().length > 0) void this.sweep()
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#again?.cancel()
    await this.#sweeping
  }

  /** The folder a session of this agent is to work in, made when it is not there; undefined when it needs none. */
  async prepare(tenant: WorktreeOwner, agent: AgentConfig | undefined): Promise<string | undefined> {
    const known = this.#find(tenant.id)
    if (!known && !agent?.worktree) return undefined
    const row = known ?? (await this.#new(tenant))
    createFolder(join(this.options.config.current.path, '.gc', 'worktrees', row.rig))
    await this.#git.add(row.repository, row.path, row.branch, row.base)
    return row.path
  }

  list(): WorktreeList {
    const items = this.#all().map((row) => this.#shown(row))
    return { items, total: items.length, limit: this.#limit }
  }

  /** Takes a worktree away on request, as far as nothing in it is notFoundHandler else; with `force`, whatever is in it. */
  async remove(caller: Caller, session: string, force: boolean): Promise<OKResponseBody> {
    if (caller.kind === 'session') {
      throw new AppError('forbidden', 'forbidden: worktrees are for people to remove; they may hold work of others')
    }
    const row = this.#find(session)
    if (!row)
      throw new AppError('session-not-found', `there is no worktree of session ${session}; see gc worktree list`)
    if (this.options.ownerState(session) !== 'over') {
      throw new AppError('conflict-wrong-state', `session ${session} is not over; close it first`)
    }
    const kept = await this.#reap(row, force)
    if (kept === undefined) return { status: 'removed' }
    throw new AppError('conflict-wrong-state', `${row.path} is kept: ${kept}; save it, or remove it with force`)
  }

  /** Removes what is not needed any more; one sweep at a time. */
  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() => this.#sweep()).catch((error) => this.options.report(errorMessage(error)))
    return this.#sweeping
  }

  async #sweep(): Promise<void> {
    let busy = false
    for (const row of this.#all()) {
      if (this.#closed) return
      const tenancy = this.options.ownerState(row.session)
      busy ||= tenancy === 'ending'
      if (tenancy === 'over') await this.#reap(row, false).catch((error) => this.#keep(row, errorMessage(error)))
    }
    this.#again?.cancel()
    if (busy) this.#again = this.options.deadlines.after(AGAIN, () => void this.sweep())
  }

  /** Takes one away, or says why not. */
  async #reap(row: WorktreeRow, force: boolean): Promise<string | undefined> {
    const { repository, path, branch, base } = row
    let merged = false
    if (existsSync(path) && !force) {
      const found = await this.#git.look(repository, path, branch, base)
      const reason = reasonToKeep(found)
      if (reason !== undefined) return this.#keep(row, reason)
      merged = found.merged
    }
    await this.#git.remove(repository, path, force)
    if (merged) await this.#git.forget(repository, branch)
    await this.options.store.write((tx) => {
      tx.orm.delete(worktrees).where(eq(worktrees.session, row.session)).run()
      const payload = { bead_id: row.bead ?? row.session, path, rig: row.rig, branch }
      this.options.log.append(tx, WorktreeReaped, this.#facts(row), payload)
    })
    return undefined
  }

  /** Notes why a worktree stays; told once for each reason. */
  async #keep(row: WorktreeRow, reason: string): Promise<string> {
    if (row.kept === reason) return reason
    await this.options.store.write((tx) => {
      tx.orm.update(worktrees).set({ kept: reason }).where(eq(worktrees.session, row.session)).run()
      const payload = { bead_id: row.bead ?? row.session, path: row.path, rig: row.rig, reason }
      this.options.log.append(tx, WorktreeReapSkipped, this.#facts(row), payload)
    })
    return reason
  }

  async #new({ id, sessionName, rig: name, work }: WorktreeOwner): Promise<WorktreeRow> {
    const rig = this.options.config.current.rigs.find((one) => one.name === name)
    if (!rig) throw new AppError('service-unavailable', `there is no rig ${name} to make a worktree of`)
    await this.#makeRoom()
    const base = await this.#git.baseOf(rig.path, rig.defaultBranch)
    const row: WorktreeRow = {
      session: id,
      rig: name,
      repository: rig.path,
      path: join(this.options.config.current.path, '.gc', 'worktrees', name, sessionName),
      branch: `gc/${work ? `${work}-` : ''}${sessionName}`,
      base,
      bead: work || null,
      createdAt: this.options.clock.now(),
      kept: null,
    }
    await this.options.store.write((tx) => void tx.orm.insert(worktrees).values(row).run())
    return row
  }

  async #makeRoom(): Promise<void> {
    if (this.#all().length < this.#limit) return
    await this.sweep()
    const left = this.#all().length
    if (left < this.#limit) return
    throw new AppError(
      'service-unavailable',
      `there are ${left} worktrees, and worktree_limit is ${this.#limit}; see gc worktree list and remove some`,
    )
  }

  get #limit(): number {
    return this.options.config.current.session.worktreeLimit
  }

  #shown({ session, rig, path, branch, bead, createdAt, kept }: WorktreeRow): Worktree {
    const inUse = this.options.ownerState(session) !== 'over'
    return {
      ...{ session, rig, path, branch, created_at: toTimestamp(createdAt), in_use: inUse },
      ...(bead !== null && { bead_id: bead }),
      ...(!inUse && kept !== null && { kept }),
    }
  }

  #facts({ session, bead }: WorktreeRow) {
    return { actor: 'gc', subject: bead ?? session, session_id: session }
  }

  #find(session: string): WorktreeRow | undefined {
    return this.#one.get({ session })
  }

  #all(): WorktreeRow[] {
    return this.options.store.read((orm) => orm.select().from(worktrees).orderBy(worktrees.createdAt).all())
  }
}
