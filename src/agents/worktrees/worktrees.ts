import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { eq, sql } from 'drizzle-orm'
import type { AgentConfig } from '../../config/city-config.ts'
import type { Config } from '../../config/config.ts'
import type { GitRunner } from '../../config/git/git-runner.ts'
import { type Actor, gcPart } from '../../core/actor.ts'
import { type Clock, toTimestamp } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import type { Reactions } from '../../core/events/reactions.ts'
import { createFolder, requireNoLinks } from '../../core/folders.ts'
import type { Orm } from '../../core/orm.ts'
import type { Store } from '../../core/store.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { DiffReader } from './diff.ts'
import { WorktreeReaped, WorktreeReapSkipped } from './events.ts'
import { WorktreeGit } from './git.ts'
import { reasonToKeep } from './keep-reason.ts'
import type { Worktree, WorktreeDiff, WorktreeList } from './schema.ts'
import { type WorktreeRow, worktrees } from './table.ts'

/** The state of a worktree's session: it continues, its program is still ending, or it is over. */
export type OwnerState = 'live' | 'ending' | 'over'

interface WorktreesOptions {
  store: Store
  log: EventLog
  reactions: Reactions
  clock: Clock
  deadlines: Deadlines
  config: Pick<Config, 'current'>
  git: GitRunner
  ownerState(session: string): OwnerState
  /** What gc wrote into worktrees goes before they are looked at. */
  projectFiles: { release(folder: string): Promise<void> }
  report(message: string): void
}

/** The session that a worktree belongs to. */
interface WorktreeOwner {
  id: string
  sessionName: string
  rig: string
  work: string | null
}

const SWEEP = gcPart('worktrees')

/** Finds the worktree of a session; runs for every bead that is closed. */
const prepareFind = (orm: Orm) =>
  orm
    .select()
    .from(worktrees)
    .where(eq(worktrees.session, sql.placeholder('session')))
    .prepare()

/** How soon a program that is ending is checked again. */
const RETRY_MS = 5_000

/**
 * The git worktrees of sessions whose agents declare them. A worktree is removed when its session is over and all its
 * work is merged or pushed; otherwise it is kept, listed with the reason, and left for a person to remove.
 */
export class Worktrees {
  readonly #git: WorktreeGit
  readonly #findStatement: ReturnType<typeof prepareFind>
  #sweeping: Promise<void> = Promise.resolve()
  #retry: Deadline | undefined
  #isClosed = false

  constructor(private readonly options: WorktreesOptions) {
    const { git, reactions, store } = options
    this.#findStatement = prepareFind(store.orm)
    this.#git = new WorktreeGit(git)
    reactions.on('worktrees.sessions', ['bead.closed'], (tx, { subject }) => {
      if (subject !== undefined && this.#find(subject)) tx.after(() => void this.sweep())
    })
  }

  /** Removes what a stop or a crash left behind. */
  start(): void {
    if (this.#all().length > 0) void this.sweep()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    this.#retry?.cancel()
    await this.#sweeping
  }

  /** Creates the worktree of a session when it is missing and returns its folder; undefined when the agent has none. */
  async prepare(owner: WorktreeOwner, agent: AgentConfig | undefined): Promise<string | undefined> {
    const existing = this.#find(owner.id)
    if (!existing && !agent?.worktree) return undefined
    const row = existing ?? (await this.#create(owner))
    const { path: city } = this.options.config.current
    requireNoLinks(city, row.path)
    createFolder(join(city, '.gc', 'worktrees', row.rig))
    await this.#git.add(row.repository, row.path, row.branch, row.base)
    return row.path
  }

  list(): WorktreeList {
    const items = this.#all().map((row) => this.#toWorktree(row))
    return { items, total: items.length, limit: this.#limit }
  }

  /** What was changed in the worktree of a session, with at most so many bytes of patch. */
  async diff(session: string, maxBytes: number): Promise<WorktreeDiff> {
    const { path, branch, base, repository } = this.#get(session)
    requireNoLinks(this.options.config.current.path, path)
    if (!existsSync(path)) {
      const what = `the folder ${path} is not there`
      throw new AppError('conflict-wrong-state', `${what}; its commits are on ${branch} in ${repository}`)
    }
    const reader = await DiffReader.open(this.options.git, path)
    return { session, branch, base, path, ...(await reader.read(base, maxBytes)) }
  }

  /** Removes a worktree on request unless it holds unsaved work; with `force`, in any case. */
  async remove(caller: Caller, session: string, force: boolean): Promise<OKResponseBody> {
    const row = this.#get(session)
    if (this.options.ownerState(session) !== 'over') {
      throw new AppError('conflict-wrong-state', `session ${session} is not over; close it first`)
    }
    const reason = await this.#reap(row, force, actorOf(caller))
    if (reason === undefined) return { status: 'removed' }
    throw new AppError('conflict-wrong-state', `${row.path} is kept: ${reason}; save it, or remove it with force`)
  }

  /** Removes worktrees that are not needed any more; sweeps do not overlap. */
  sweep(): Promise<void> {
    this.#sweeping = this.#sweeping.then(() => this.#sweep()).catch((error) => this.options.report(errorMessage(error)))
    return this.#sweeping
  }

  async #sweep(): Promise<void> {
    let hasEnding = false
    for (const row of this.#all()) {
      if (this.#isClosed) return
      const state = this.options.ownerState(row.session)
      hasEnding ||= state === 'ending'
      if (state === 'over') {
        await this.#reap(row, false, SWEEP).catch((error) => this.#recordSkipped(row, errorMessage(error), SWEEP))
      }
    }
    this.#retry?.cancel()
    if (hasEnding) this.#retry = this.options.deadlines.after(RETRY_MS, () => void this.sweep())
  }

  /** Removes a worktree, or returns why it is kept. */
  async #reap(row: WorktreeRow, force: boolean, actor: Actor): Promise<string | undefined> {
    const { repository, path, branch, base } = row
    let merged = false
    await this.options.projectFiles.release(path)
    if (existsSync(path) && !force) {
      const status = await this.#git.status(repository, path, branch, base)
      const reason = reasonToKeep(status)
      if (reason !== undefined) return this.#recordSkipped(row, reason, actor)
      merged = status.merged
    }
    await this.#git.remove(repository, path, force)
    if (merged) await this.#git.forget(repository, branch)
    await this.options.store.write((tx) => {
      tx.orm.delete(worktrees).where(eq(worktrees.session, row.session)).run()
      const payload = { bead_id: row.bead ?? row.session, path, rig: row.rig, branch }
      this.options.log.append(tx, WorktreeReaped, this.#eventFields(row), payload)
    }, actor)
    return undefined
  }

  /** Records why a worktree is kept; each reason is recorded once. */
  async #recordSkipped(row: WorktreeRow, reason: string, actor: Actor): Promise<string> {
    if (row.kept === reason) return reason
    await this.options.store.write((tx) => {
      tx.orm.update(worktrees).set({ kept: reason }).where(eq(worktrees.session, row.session)).run()
      const payload = { bead_id: row.bead ?? row.session, path: row.path, rig: row.rig, reason }
      this.options.log.append(tx, WorktreeReapSkipped, this.#eventFields(row), payload)
    }, actor)
    return reason
  }

  async #create({ id, sessionName, rig: name, work }: WorktreeOwner): Promise<WorktreeRow> {
    const rig = this.options.config.current.rigs.find((candidate) => candidate.name === name)
    if (rig?.path === undefined)
      throw new AppError('service-unavailable', `there is no rig ${name} to make a worktree of`)
    await this.#ensureCapacity()
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

  async #ensureCapacity(): Promise<void> {
    if (this.#all().length < this.#limit) return
    await this.sweep()
    const count = this.#all().length
    if (count < this.#limit) return
    throw new AppError(
      'service-unavailable',
      `there are ${count} worktrees, and worktree_limit is ${this.#limit}; see gc worktree list and remove some`,
    )
  }

  get #limit(): number {
    return this.options.config.current.session.worktreeLimit
  }

  #toWorktree({ session, rig, path, branch, bead, createdAt, kept }: WorktreeRow): Worktree {
    const inUse = this.options.ownerState(session) !== 'over'
    return {
      ...{ session, rig, path, branch, created_at: toTimestamp(createdAt), in_use: inUse },
      ...(bead !== null && { bead_id: bead }),
      ...(!inUse && kept !== null && { kept }),
    }
  }

  #eventFields({ session, bead }: WorktreeRow) {
    return { subject: bead ?? session, session_id: session }
  }

  #get(session: string): WorktreeRow {
    const row = this.#find(session)
    if (row) return row
    throw new AppError('session-not-found', `there is no worktree of session ${session}; see gc worktree list`)
  }

  #find(session: string): WorktreeRow | undefined {
    return this.#findStatement.get({ session })
  }

  #all(): WorktreeRow[] {
    return this.options.store.read((orm) => orm.select().from(worktrees).orderBy(worktrees.createdAt).all())
  }
}
