import { existsSync, renameSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { dirname, isAbsolute, join, normalize } from 'node:path'
import { and, eq } from 'drizzle-orm'
import { type Actor, gcPart } from '../../core/actor.ts'
import type { CityContext } from '../../core/city-context.ts'
import { sha256 } from '../../core/digest.ts'
import type { RequestFailureCode } from '../../core/error-catalogue.ts'
import { AppError, errorMessage, type FieldError } from '../../core/errors.ts'
import { createFolder, requireNoLinks, syncFolder } from '../../core/folders.ts'
import { createRequestId } from '../../core/ids.ts'
import { RequestFailed } from '../../core/requests/index.ts'
import { Signal } from '../../core/signal.ts'
import type { Tx } from '../../core/store/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { Config } from '../compose/index.ts'
import { RigCreateSucceeded, RigProvisionProgress } from '../events.ts'
import {
  cloneRepository,
  type GitRunner,
  parseRemote,
  publicAddresses,
  type Remote,
  readHeadBranch,
} from '../git/index.ts'
import type { RigConfig } from '../rigs/index.ts'
import type { RigCreate, RigCreated } from './schema.ts'
import { type RigClone, rigClones } from './table.ts'

/** Reason a clone did not become a rig. */
class CloneError extends Error {
  constructor(
    readonly code: 'blocked_host' | 'already_exists' | 'clone_failed',
    message: string,
  ) {
    super(message)
  }
}

/**
 * Clones repositories to become rigs. Each request is a row from the moment it is accepted, and ends with one event;
 * the same request id does not clone twice.
 */
export class RigClones {
  readonly #closing = new AbortController()
  readonly #running = new Set<Promise<void>>()
  readonly #changes = new Signal()

  constructor(
    private readonly context: CityContext,
    private readonly config: Config,
    private readonly git: GitRunner,
    private readonly report: (message: string) => void,
  ) {}

  /** Accepts a request; the clone runs on after the response. */
  accept(caller: Caller, body: RigCreate & { git_url: string }): Promise<RigCreated> {
    const request = parseCloneRequest(body)
    return this.context.store.write((tx) => this.#accept(tx, request), actorOf(caller))
  }

  /** Finishes what a crash interrupted: succeeded if its rig exists, else failed. */
  async start(): Promise<void> {
    const { store } = this.context
    const { config } = this
    const unfinished = store.read((orm) => orm.select().from(rigClones).where(eq(rigClones.state, 'in_flight')).all())
    for (const row of unfinished) {
      await rm(this.#stagingFolder(row.requestId), { recursive: true, force: true })
      const path = join(config.path, row.path)
      const rig = this.#rig(row.rig)
      const remedy = existsSync(path) ? `the clone is in ${row.path}: add that folder` : 'send the request again'
      await store.write((tx) => {
        if (rig?.path === path) this.#succeed(tx, row.requestId, rig)
        else this.#fail(tx, row, 'clone_failed', `gc stopped before the rig was declared; ${remedy}`)
      }, row.requester ?? gcPart('rigs'))
    }
  }

  /** Stops the clones that run; the next start reports them as failed. */
  async stop(): Promise<void> {
    this.#closing.abort()
    await Promise.allSettled(this.#running)
  }

  #accept(tx: Tx, request: CloneRequest): RigCreated {
    const { clock, log } = this.context
    const { config } = this
    const previous = tx.orm.select().from(rigClones).where(eq(rigClones.requestId, request.requestId)).get()
    const repeated = previous && this.#repeat(previous, request)
    if (repeated) return repeated
    this.#requireFreeName(tx, request)
    if (existsSync(join(config.path, request.path))) {
      throw new AppError('conflict-wrong-state', `conflict: ${request.path} already exists; give another path`)
    }
    const { requestId, digest, rig, path } = request
    const row = {
      ...{ requestId, digest, rig, path, state: 'in_flight' as const, cursor: log.head },
      ...{ acceptedAt: clock.now(), requester: tx.actor, error: null, failedAt: null },
    }
    tx.orm.insert(rigClones).values(row).onConflictDoUpdate({ target: rigClones.requestId, set: row }).run()
    const requester = tx.actor
    this.#changed(tx)
    tx.after(() => this.#start(request, requester))
    return toAccepted(row)
  }

  /** The response to a request id that was used before; undefined when it must be cloned again. */
  #repeat(previous: RigClone, request: CloneRequest): RigCreated | undefined {
    if (previous.digest !== request.digest) {
      throw conflict(`request_id ${previous.requestId} was used for another request`, 'request_id_conflict', [
        { location: 'body.request_id', message: 'was used for another request', value: previous.requestId },
      ])
    }
    if (previous.state === 'in_flight') return toAccepted(previous)
    const rig = previous.state === 'succeeded' ? this.#rig(previous.rig) : undefined
    if (!rig) return undefined
    return {
      ...{ status: 'exists', rig: rig.name, request_id: previous.requestId, prefix: rig.prefix },
      ...(rig.defaultBranch !== undefined && { default_branch: rig.defaultBranch }),
    }
  }

  #requireFreeName(tx: Tx, { rig }: CloneRequest): void {
    const running = tx.orm
      .select()
      .from(rigClones)
      .where(and(eq(rigClones.rig, rig), eq(rigClones.state, 'in_flight')))
      .get()
    if (!running && !this.#rig(rig)) return
    const fieldErrors: FieldError[] = [{ location: 'body.name', message: 'is taken', value: rig }]
    if (running) {
      fieldErrors.push({ location: 'body.in_flight_request_id', message: 'is being cloned', value: running.requestId })
      fieldErrors.push({ location: 'body.event_cursor', message: 'reports the outcome', value: String(running.cursor) })
    }
    throw conflict(`rig "${rig}" already exists`, 'rig_name_conflict', fieldErrors)
  }

  #start(request: CloneRequest, requester: Actor): void {
    const running = this.#run(request, requester).catch((error) =>
      this.report(`cloning ${request.rig}: ${errorMessage(error)}`),
    )
    this.#running.add(running)
    void running.finally(() => this.#running.delete(running))
  }

  async #run(request: CloneRequest, requester: Actor): Promise<void> {
    const staged = this.#stagingFolder(request.requestId)
    try {
      const defaultBranch = await this.#clone(request, staged, requester)
      const rig = await this.#declare(request, staged, defaultBranch, requester)
      await this.context.store.write((tx) => this.#succeed(tx, request.requestId, rig), requester)
    } catch (error) {
      await rm(staged, { recursive: true, force: true })
      if (this.#closing.signal.aborted) return
      const code = error instanceof CloneError ? error.code : 'provision_failed'
      await this.context.store.write((tx) => this.#fail(tx, request, code, errorMessage(error)), requester)
    }
  }

  /** Clones into a folder where nothing else writes; returns the branch that work starts from. */
  async #clone(request: CloneRequest, staged: string, requester: Actor): Promise<string> {
    const { git } = this
    const { signal } = this.#closing
    await this.#reportProgress(request, requester, 'clone', request.remote.url)
    const addresses = await publicAddresses(request.remote.host)
    if (!addresses) {
      throw new CloneError(
        'blocked_host',
        `${request.remote.host} is not a public host; clone it yourself and add the folder`,
      )
    }
    await rm(staged, { recursive: true, force: true })
    requireNoLinks(this.config.path, staged)
    createFolder(dirname(staged))
    await cloneRepository({ remote: request.remote, addresses }, staged, git, signal).catch((error) => {
      throw new CloneError('clone_failed', `git could not clone it: ${errorMessage(error)}`)
    })
    await this.#reportProgress(request, requester, 'git-detected', request.path)
    return request.defaultBranch ?? (await readHeadBranch(staged, git, signal))
  }

  /** Moves a clone into place and declares the rig; moves it back when that fails. */
  async #declare(request: CloneRequest, staged: string, defaultBranch: string, requester: Actor): Promise<RigConfig> {
    const { config } = this
    const { rig: name, path, prefix } = request
    const target = join(config.path, path)
    requireNoLinks(config.path, path)
    createFolder(dirname(target))
    if (existsSync(target))
      throw new CloneError('already_exists', `${path} was created in the meantime; give another path`)
    renameSync(staged, target)
    syncFolder(dirname(target))
    try {
      const rig = await config.addRig(requester, { name, path, prefix, ...(defaultBranch && { defaultBranch }) })
      await this.#reportProgress(request, requester, 'prefix', rig.prefix)
      if (defaultBranch) await this.#reportProgress(request, requester, 'default-branch', defaultBranch)
      return rig
    } catch (error) {
      if (!this.#rig(name)) renameSync(target, staged)
      throw error
    }
  }

  #stagingFolder(requestId: string): string {
    const name = sha256(requestId).slice(0, 16)
    return join(this.config.path, '.gc/runtime/clones', name)
  }

  #reportProgress({ rig, requestId }: CloneRequest, requester: Actor, step: string, detail: string): Promise<number> {
    const { store, log } = this.context
    const payload = { rig, step, detail, request_id: requestId }
    return store.write((tx) => log.append(tx, RigProvisionProgress, { subject: rig }, payload), requester)
  }

  #succeed(tx: Tx, requestId: string, { name: rig, prefix, defaultBranch = '' }: RigConfig): void {
    const { log } = this.context
    this.#finish(tx, requestId, { state: 'succeeded' })
    const context = { subject: rig }
    log.append(tx, RigProvisionProgress, context, { rig, step: 'done', request_id: requestId })
    log.append(tx, RigCreateSucceeded, context, { request_id: requestId, rig, prefix, default_branch: defaultBranch })
  }

  #fail(
    tx: Tx,
    { requestId, rig }: { requestId: string; rig: string },
    code: RequestFailureCode,
    message: string,
  ): void {
    this.#finish(tx, requestId, { state: 'rolled_back', error: message, failedAt: this.context.clock.now() })
    const payload = { request_id: requestId, operation: 'rig.create', error_code: code, error_message: message }
    this.context.log.append(tx, RequestFailed, { subject: rig }, payload)
  }

  /** Calls the listener when a clone began, ended or failed. */
  readonly onChange = this.#changes.listen

  #finish(tx: Tx, requestId: string, outcome: Pick<RigClone, 'state'> & Partial<RigClone>): void {
    tx.orm.update(rigClones).set(outcome).where(eq(rigClones.requestId, requestId)).run()
    this.#changed(tx)
  }

  #changed(tx: Tx): void {
    tx.after(() => this.#changes.emit())
  }

  #rig(name: string): RigConfig | undefined {
    return this.config.current.rigs.find((rig) => rig.name === name)
  }
}

const toAccepted = ({ requestId, cursor }: Pick<RigClone, 'requestId' | 'cursor'>): RigCreated => ({
  status: 'accepted',
  request_id: requestId,
  event_cursor: String(cursor),
})

const conflict = (message: string, code: string, fieldErrors: FieldError[]): AppError =>
  new AppError('conflict-wrong-state', `conflict: ${message}`, {
    fieldErrors: [{ location: 'body.code', message, value: code }, ...fieldErrors],
  })

/** A request to clone a repository and make it a rig. */
interface CloneRequest {
  readonly requestId: string
  readonly rig: string
  /** Target of the clone, relative to the city. */
  readonly path: string
  readonly remote: Remote
  readonly prefix?: string
  readonly defaultBranch?: string
  /** A hash of the request without its credentials and its id. */
  readonly digest: string
}

const invalid = (message: string): AppError => new AppError('invalid-request', message)

/** Parses a request; throws when it cannot be cloned, before anything is done. */
function parseCloneRequest(body: RigCreate & { git_url: string }): CloneRequest {
  const rig = body.name.trim()
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(rig) || isLiteral(rig)) {
    throw invalid(
      `"${rig}" cannot name a cloned rig: use up to 64 letters, digits, ".", "-" and "_", not a bare number`,
    )
  }
  const remote = parseRemote(body.git_url.trim())
  if (!remote) throw invalid('git_url must be the address of a repository: https://…, ssh://… or git@host:path')
  const path = parsePath(body.path?.trim() || join('rigs', rig))
  const prefix = body.prefix?.trim() || undefined
  const defaultBranch = body.default_branch?.trim() || undefined
  const identity = JSON.stringify([rig, path, prefix ?? '', defaultBranch ?? '', remote.url])
  return {
    ...{ requestId: parseRequestId(body.request_id), rig, path, remote, prefix, defaultBranch },
    digest: sha256(identity),
  }
}

function parseRequestId(requested: string | undefined): string {
  if (!requested) return createRequestId()
  if (/^[A-Za-z0-9._~:-]{8,200}$/.test(requested) && !isLiteral(requested)) return requested
  throw invalid(
    'request_id must have 8 to 200 letters, digits, ".", "_", "~", ":" or "-", and not be a bare number or word of JSON',
  )
}

/** True if JSON reads a string as a value of its own, so that a program that omits the quotes would change it. */
function isLiteral(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parsePath(path: string): string {
  if (path.includes('\0')) throw invalid('path cannot hold a NUL')
  const normalized = normalize(path)
  if (isAbsolute(path)) throw invalid('path must be relative with git_url: the clone goes into the city')
  if (normalized === '.' || normalized.startsWith('..') || /^\.gc(\/|$)/.test(normalized)) {
    throw invalid(`${path} is not a folder in the city that a clone can go to`)
  }
  return normalized.replace(/\/+$/, '')
}
