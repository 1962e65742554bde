import { createHash } from 'node:crypto'
import { existsSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { and, eq } from 'drizzle-orm'
import type { Clock } from '../../core/clock.ts'
import { AppError, errorMessage, type FieldError } from '../../core/errors.ts'
import type { EventLog } from '../../core/events/log.ts'
import { createFolder, syncFolder } from '../../core/folders.ts'
import { RequestFailed } from '../../core/requests/requests.ts'
import type { Store, Tx } from '../../core/store.ts'
import type { RigConfig } from '../city-config.ts'
import type { Config } from '../config.ts'
import { cloneRepository, readHeadBranch } from '../git/clone.ts'
import type { GitRunner } from '../git/git-runner.ts'
import { isPublicHost } from '../git/remote.ts'
import { type CloneRequest, parseCloneRequest } from './clone-request.ts'
import { RigCreateSucceeded, RigProvisionProgress } from './events.ts'
import type { RigCreate, RigCreated } from './schema.ts'
import { type RigClone, rigClones } from './table.ts'

/** Why a clone did not become a rig. */
class Failed extends Error {
  constructor(
    readonly code: 'blocked_host' | 'already_exists' | 'clone_failed',
    message: string,
  ) {
    super(message)
  }
}

/** What cloning needs. */
export interface RigClonesOptions {
  readonly store: Store
  readonly log: EventLog
  readonly clock: Clock
  readonly config: Config
  readonly git: GitRunner
  /** Whether a host may be cloned from; by default only public ones. */
  readonly mayReach?: (host: string) => Promise<boolean>
  readonly report: (message: string) => void
}

const ACTOR = { actor: 'api' }

/**
 * Repositories on their way to being rigs. Each request is a row from the moment it is accepted, and ends with one
 * event; asking again under the same id does not clone again.
 */
export class RigClones {
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()

  constructor(private readonly parts: RigClonesOptions) {}

  /** Takes a request; the cloning goes on after the answer. */
  accept(body: RigCreate & { git_url: string }): Promise<RigCreated> {
    const wanted = parseCloneRequest(body)
    return this.parts.store.write((tx) => this.#accept(tx, wanted))
  }

  /** Ends what a crash left unfinished: done if its rig is there, else failed. */
  async recover(): Promise<void> {
    const { store, config } = this.parts
    const open = store.read((orm) => orm.select().from(rigClones).where(eq(rigClones.state, 'in_flight')).all())
    for (const row of open) {
      await rm(this.#staged(row.requestId), { recursive: true, force: true })
      const at = join(config.path, row.path)
      const rig = this.#rig(row.rig)
      const way = existsSync(at) ? `the clone is in ${row.path}: add that folder` : 'ask again'
      await store.write((tx) => {
        if (rig?.path === at) this.#succeed(tx, row.requestId, rig)
        else this.#fail(tx, row, 'clone_failed', `gc ended before the rig was made; ${way}`)
      })
    }
  }

  /** Ends the clones that run; the next start tells of them. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#running)
  }

  #accept(tx: Tx, wanted: CloneRequest): RigCreated {
    const { clock, config, log } = this.parts
    const known = tx.orm.select().from(rigClones).where(eq(rigClones.requestId, wanted.requestId)).get()
    const answered = known && this.#again(known, wanted)
    if (answered) return answered
    this.#needName(tx, wanted)
    if (existsSync(join(config.path, wanted.path))) {
      throw new AppError('conflict-wrong-state', `conflict: ${wanted.path} is there already; give another path`)
    }
    const { requestId, digest, rig, path } = wanted
    const row = { requestId, digest, rig, path, state: 'in_flight' as const, cursor: log.head, acceptedAt: clock.now() }
    tx.orm.insert(rigClones).values(row).onConflictDoUpdate({ target: rigClones.requestId, set: row }).run()
    tx.after(() => this.#start(wanted))
    return accepted(row)
  }

  /** The answer to a request that was made before; undefined when it has to be done again. */
  #again(known: RigClone, wanted: CloneRequest): RigCreated | undefined {
    if (known.digest !== wanted.digest) {
      throw conflict(`request_id ${known.requestId} was used for another request`, 'request_id_conflict', [
        { location: 'body.request_id', message: 'was used for another request', value: known.requestId },
      ])
    }
    if (known.state === 'in_flight') return accepted(known)
    const rig = known.state === 'succeeded' ? this.#rig(known.rig) : undefined
    if (!rig) return undefined
    return {
      ...{ status: 'exists', rig: rig.name, request_id: known.requestId, prefix: rig.prefix },
      ...(rig.defaultBranch !== undefined && { default_branch: rig.defaultBranch }),
    }
  }

  #needName(tx: Tx, { rig }: CloneRequest): void {
    const live = tx.orm
      .select()
      .from(rigClones)
      .where(and(eq(rigClones.rig, rig), eq(rigClones.state, 'in_flight')))
      .get()
    if (!live && !this.#rig(rig)) return
    const faults: FieldError[] = [{ location: 'body.name', message: 'is taken', value: rig }]
    if (live) {
      faults.push({ location: 'body.in_flight_request_id', message: 'is being cloned', value: live.requestId })
      faults.push({ location: 'body.event_cursor', message: 'tells how it ends', value: String(live.cursor) })
    }
    throw conflict(`there is a rig "${rig}" already`, 'rig_name_conflict', faults)
  }

  #start(wanted: CloneRequest): void {
    const running = this.#run(wanted).catch((error) =>
      this.parts.report(`cloning ${wanted.rig}: ${errorMessage(error)}`),
    )
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  async #run(wanted: CloneRequest): Promise<void> {
    const staged = this.#staged(wanted.requestId)
    try {
      const defaultBranch = await this.#clone(wanted, staged)
      const rig = await this.#declare(wanted, staged, defaultBranch)
      await this.parts.store.write((tx) => this.#succeed(tx, wanted.requestId, rig))
    } catch (error) {
      await rm(staged, { recursive: true, force: true })
      if (this.#closing.signal.aborted) return
      const code = error instanceof Failed ? error.code : 'provision_failed'
      await this.parts.store.write((tx) => this.#fail(tx, wanted, code, errorMessage(error)))
    }
  }

  /** Clones where nobody else writes; tells the branch that work starts from. */
  async #clone(wanted: CloneRequest, staged: string): Promise<string> {
    const { git, mayReach = isPublicHost } = this.parts
    const { signal } = this.#closing
    await this.#progress(wanted, 'clone', wanted.remote.url)
    if (!(await mayReach(wanted.remote.host))) {
      throw new Failed(
        'blocked_host',
        `${wanted.remote.host} is not a public host; clone it yourself and add the folder`,
      )
    }
    await rm(staged, { recursive: true, force: true })
    createFolder(dirname(staged))
    await cloneRepository(wanted.remote, staged, git, signal).catch((error) => {
      throw new Failed('clone_failed', `git could not clone it: ${errorMessage(error)}`)
    })
    await this.#progress(wanted, 'git-detected', wanted.path)
    return wanted.defaultBranch ?? (await readHeadBranch(staged, git, signal))
  }

  /** Moves a clone to its place and makes it a rig; back again when it cannot be one. */
  async #declare(wanted: CloneRequest, staged: string, defaultBranch: string): Promise<RigConfig> {
    const { config } = this.parts
    const { rig: name, path, prefix } = wanted
    const at = join(config.path, path)
    createFolder(dirname(at))
    if (existsSync(at)) throw new Failed('already_exists', `${path} has appeared meanwhile; give another path`)
    renameSync(staged, at)
    syncFolder(dirname(at))
    try {
      const rig = await config.addRig({ name, path, prefix, ...(defaultBranch && { defaultBranch }) })
      await this.#progress(wanted, 'prefix', rig.prefix)
      if (defaultBranch) await this.#progress(wanted, 'default-branch', defaultBranch)
      return rig
    } catch (error) {
      if (!this.#rig(name)) renameSync(at, staged)
      throw error
    }
  }

  #staged(requestId: string): string {
    const name = createHash('sha256').update(requestId).digest('hex').slice(0, 16)
    return join(this.parts.config.path, '.gc/runtime/clones', name)
  }

  #progress({ rig, requestId }: CloneRequest, step: string, detail: string): Promise<number> {
    const { store, log } = this.parts
    const payload = { rig, step, detail, request_id: requestId }
    return store.write((tx) => log.append(tx, RigProvisionProgress, { ...ACTOR, subject: rig }, payload))
  }

  #succeed(tx: Tx, requestId: string, { name: rig, prefix, defaultBranch = '' }: RigConfig): void {
    const { log } = this.parts
    this.#settle(tx, requestId, 'succeeded')
    const facts = { ...ACTOR, subject: rig }
    log.append(tx, RigProvisionProgress, facts, { rig, step: 'done', request_id: requestId })
    log.append(tx, RigCreateSucceeded, facts, { request_id: requestId, rig, prefix, default_branch: defaultBranch })
  }

  #fail(tx: Tx, { requestId, rig }: { requestId: string; rig: string }, code: string, message: string): void {
    this.#settle(tx, requestId, 'rolled_back')
    const payload = { request_id: requestId, operation: 'rig.create', error_code: code, error_message: message }
    this.parts.log.append(tx, RequestFailed, { ...ACTOR, subject: rig }, payload)
  }

  #settle(tx: Tx, requestId: string, state: RigClone['state']): void {
    tx.orm.update(rigClones).set({ state }).where(eq(rigClones.requestId, requestId)).run()
  }

  #rig(name: string): RigConfig | undefined {
    return this.parts.config.current.rigs.find((rig) => rig.name === name)
  }
}

const accepted = ({ requestId, cursor }: Pick<RigClone, 'requestId' | 'cursor'>): RigCreated => ({
  status: 'accepted',
  request_id: requestId,
  event_cursor: String(cursor),
})

const conflict = (sentence: string, code: string, faults: FieldError[]): AppError =>
  new AppError('conflict-wrong-state', `conflict: ${sentence}`, {
    fieldErrors: [{ location: 'body.code', message: sentence, value: code }, ...faults],
  })
