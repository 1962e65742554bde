import { existsSync } from 'node:fs'
import { basename, isAbsolute, join, normalize } from 'node:path'
import { eq } from 'drizzle-orm'
import type { City } from '../city/city.ts'
import { CityCreated, CityCreateSucceeded, CityUnregisterRequested, CityUnregisterSucceeded } from '../city/events.ts'
import type { Rest } from '../city/rest.ts'
import { CITY_NAME } from '../config/declare/index.ts'
import { CITY_FILE } from '../config/files/index.ts'
import type { Clock } from '../core/clock.ts'
import type { RequestFailureCode } from '../core/error-catalogue.ts'
import { AppError, errorMessage, invalidField } from '../core/errors.ts'
import type { EventDefinition, EventLog } from '../core/events/index.ts'
import type { AcceptedRequest, Requests } from '../core/requests/index.ts'
import type { Store, Tx } from '../core/store/index.ts'
import { actorOf } from '../http/actor-of.ts'
import type { Caller } from '../http/caller.ts'
import type { OKResponseBody } from '../http/schema.ts'
import {
  type CityEntry,
  type ClosedCity,
  checkNotMoved,
  checkNotTaken,
  cityNotFound,
  goneFolder,
  markStopped,
  newEntry,
  type Phase,
  toInfo,
} from './city-entry.ts'
import type { RestingCity } from './resting-city.ts'
import type { CityCreate, CityInfo, CityRegister } from './schema.ts'
import { cities as registered } from './table.ts'

/** Runs in the write that accepts a request. */
export type OnAccept = (tx: Tx, accepted: AcceptedRequest) => void

/** The registered cities and the running ones among them. A city that fails to open is listed with its error and does not affect the others. */
export class Cities {
  readonly #entries = new Map<string, CityEntry>()
  readonly #locks = new PathLocks()
  readonly #outcomes: RequestOutcomes
  #changed = Promise.withResolvers<void>()
  #isStopping = false

  constructor(private readonly dependencies: CitiesDependencies) {
    this.#outcomes = new RequestOutcomes(dependencies)
    for (const { name, path, stoppedAt } of dependencies.store.read((orm) => orm.select().from(registered).all()))
      markStopped(this.#add(name, path), stoppedAt === null ? undefined : 'stopped')
  }

  list(): CityInfo[] {
    return [...this.#entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(toInfo)
  }

  listRunning(): City[] {
    const running: City[] = []
    for (const { city } of this.#entries.values()) if (city) running.push(city)
    return running
  }

  /** Those that count as running although nothing has needed them yet. */
  listResting(): RestingCity[] {
    return [...this.#entries.values()].flatMap(({ resting }) => resting ?? [])
  }

  /** True if any rests; asked before each request. */
  get hasResting(): boolean {
    for (const { resting } of this.#entries.values()) if (resting !== undefined) return true
    return false
  }

  /** Those that are being loaded or could not be. */
  listClosed(): ClosedCity[] {
    return [...this.#entries.values()].filter(isClosed)
  }

  /** True if any is being loaded; asked before each request. */
  get isLoading(): boolean {
    for (const entry of this.#entries.values()) if (isClosed(entry) && entry.error === undefined) return true
    return false
  }

  /** Opens a city that rests, since something needs it; undefined for any other. */
  wake(name: string): Promise<void> | undefined {
    const entry = this.#entries.get(name)
    if (!entry?.resting || this.#isStopping) return undefined
    entry.woken ??= this.#wake(entry, entry.resting)
    return entry.woken
  }

  get isStopping(): boolean {
    return this.#isStopping
  }

  /** Resolves when a city was opened, could not be, or was removed, and when all are being closed. */
  whenChanged(): Promise<void> {
    return this.#changed.promise
  }

  /** The running city of that name; `city-not-found` while it is unknown, starting or failed. */
  requireRunning(name: string): City {
    const entry = this.#entries.get(name)
    if (entry?.city) return entry.city
    throw cityNotFound(name, entry)
  }

  findRunning(name: string): City | undefined {
    return this.#entries.get(name)?.city
  }

  /**
   * Opens every registered city that no one stopped, or lets it rest if it has nothing to do, and finishes the requests
   * that a crash interrupted.
   */
  async openAll(): Promise<void> {
    const unfinished = this.dependencies.requests.listOpen()
    await this.#restAll()
    await Promise.all([...this.#entries.values()].map((entry) => this.#openUnlessStopped(entry)))
    for (const request of unfinished) await this.#resume(request)
  }

  /** Writes a new city and registers it. Returns once that is on disk; an event reports the outcome. */
  async create(caller: Caller, body: CityCreate, onAccept: OnAccept): Promise<AcceptedRequest> {
    if (body.provider !== undefined && body.start_command !== undefined) {
      throw new AppError('validation-failed', 'validation failed', {
        fieldErrors: [{ message: 'give provider or start_command, not both', location: 'body.start_command' }],
      })
    }
    const path = requireFolder('dir', body.dir)
    return this.#locks.use(path, async () => {
      checkNotTaken(this.#entries.values(), basename(path), path)
      const name = await this.dependencies.scaffold(path, {
        ...(body.provider !== undefined && { provider: body.provider }),
        ...(body.start_command !== undefined && { startCommand: body.start_command }),
      })
      return this.#register(caller, name, path, onAccept)
    })
  }

  /** Registers the folder of an existing city; a registered one that failed or was stopped is opened again. */
  async register(caller: Caller, body: CityRegister, onAccept: OnAccept): Promise<AcceptedRequest> {
    const { name } = body
    const path = requireFolder('path', body.path)
    if (name !== undefined && !CITY_NAME.test(name)) {
      throw new AppError('invalid-request', `"${name}" is not a valid city name: use letters, digits, ".", "-" and "_"`)
    }
    return this.#locks.use(path, async () => {
      const existing = [...this.#entries.values()].find((entry) => entry.path === path)
      await (existing && this.wake(existing.name))
      const gone = existing?.city && goneFolder(existing)
      if (gone !== undefined) throw new AppError('conflict-wrong-state', `conflict: ${gone}`)
      checkNotMoved(this.#entries.values(), path, this.dependencies.home)
      const failure = existing?.city?.store.failure
      if (existing && failure !== undefined) this.abandon(existing.name, failure)
      const problem = existing?.city?.storeHealth.problem
      if (problem !== undefined) throw new AppError('store-unavailable', problem)
      if (existing?.error !== undefined) return this.#retry(caller, existing, onAccept)
      if (!existing && !existsSync(join(path, CITY_FILE)))
        throw new AppError('validation-failed', `${path} has no ${CITY_FILE}; \`gc init\` makes a city`)
      const own = await this.dependencies.nameOf(path)
      return this.#register(caller, name ?? own, path, onAccept)
    })
  }

  /** Starts a city that was stopped or failed. */
  async start(caller: Caller, name: string, onAccept: OnAccept): Promise<AcceptedRequest> {
    const { path } = this.#require(name)
    return this.register(caller, { path }, onAccept)
  }

  /** Ends the sessions of a city and closes it, until somebody starts it. Returns once that is on disk. */
  async stop(caller: Caller, name: string): Promise<OKResponseBody> {
    const entry = this.#require(name)
    return this.#locks.use(entry.path, async () => {
      await this.wake(name)
      if (entry.stopped !== undefined) return { status: entry.stopped }
      if (!entry.city && entry.error === undefined) {
        throw new AppError('operation-in-progress', `conflict: city ${name} is being started; stop it when it is up`)
      }
      const stoppedAt = this.dependencies.clock.now()
      const answer = await this.dependencies.store.write((tx) => {
        tx.orm.update(registered).set({ stoppedAt }).where(eq(registered.name, name)).run()
        return { status: 'stopping' }
      }, actorOf(caller))
      entry.closed = this.#closeStopped(entry)
      return answer
    })
  }

  async #closeStopped(entry: CityEntry): Promise<void> {
    const { city } = entry
    entry.city = undefined
    markStopped(entry, 'stopping')
    this.#notifyChanged()
    try {
      if (city) await city.close({ endSessions: true })
      else await this.dependencies.endSessions(entry.name)
    } catch (error) {
      this.dependencies.report(`city ${entry.name} was stopped, but ${errorMessage(error)}`)
    }
    if (entry.stopped === 'stopping') markStopped(entry, 'stopped')
    this.dependencies.onChange()
    this.#notifyChanged()
  }

  /** Removes a city from the registry and ends its sessions; its folder stays. */
  async unregister(caller: Caller, name: string, onAccept: OnAccept): Promise<AcceptedRequest> {
    const entry = this.#require(name)
    return this.#locks.use(entry.path, async () => {
      await this.wake(name)
      const request = await this.dependencies.store.write((tx) => {
        tx.orm.delete(registered).where(eq(registered.name, name)).run()
        this.dependencies.onUnregister(tx, entry.name)
        this.#recordEvent(tx, CityUnregisterRequested, entry)
        const accepted = this.dependencies.requests.accept(tx, 'city.unregister', name, { path: entry.path })
        onAccept(tx, accepted)
        return accepted
      }, actorOf(caller))
      this.#entries.delete(name)
      this.#notifyChanged()
      void this.#close(entry, request)
      return request
    })
  }

  /** Closes a city that cannot continue and lists it with the reason; its agents are left to the host. */
  abandon(name: string, error: string): void {
    const entry = this.#entries.get(name)
    const { city } = entry ?? {}
    if (!entry || !city) return
    entry.city = undefined
    entry.error = error
    entry.closed = city.close({ endSessions: false }).then(() => {}, this.#reportError)
    this.dependencies.report(`city ${name} is stopped: ${error}`)
    this.dependencies.onChange()
    this.#notifyChanged()
  }

  /** Closes every running city; their agents are left to the host unless `endSessions`. */
  async close({ endSessions }: { endSessions: boolean }): Promise<void> {
    this.#isStopping = true
    this.#notifyChanged()
    const opening = [...this.#entries.values()].map(({ woken }) => woken)
    for (const resting of this.listResting()) resting.release()
    await Promise.all(opening)
    const rests: { name: string; rest: Rest }[] = []
    const closeOne = async (city: City) => {
      const rest = await city.close({ endSessions })
      if (rest) rests.push({ name: city.name, rest })
    }
    await Promise.all(this.listRunning().map((city) => closeOne(city).catch(this.#reportError)))
    if (rests.length > 0) await this.dependencies.keepRests(rests)
  }

  /** Lets every city rest that was closed with nothing to do, and in which nothing changed since. */
  async #restAll(): Promise<void> {
    const { rests, adopt } = this.dependencies
    const candidates = [...this.#entries.values()].filter(({ stopped }) => stopped === undefined)
    const kept = candidates.length > 0 ? rests() : new Map<string, Rest>()
    if (kept.size === 0) return
    const adoptOne = await adopt()
    for (const entry of candidates) {
      const rest = kept.get(entry.name)
      const { name, path } = entry
      if (rest) entry.resting = adoptOne({ name, path, rest, onNeeded: () => void this.wake(name) })
    }
    this.dependencies.onChange()
    this.#notifyChanged()
  }

  async #wake(entry: CityEntry, resting: RestingCity): Promise<void> {
    resting.release()
    await this.#open(entry)
    entry.woken = undefined
  }

  async #register(caller: Caller, name: string, path: string, onAccept: OnAccept): Promise<AcceptedRequest> {
    checkNotTaken(this.#entries.values(), name, path)
    const request = await this.dependencies.store.write((tx) => {
      tx.orm.insert(registered).values({ name, path, registeredAt: this.dependencies.clock.now() }).run()
      this.#recordEvent(tx, CityCreated, { name, path })
      const accepted = this.dependencies.requests.accept(tx, 'city.create', name, { path })
      onAccept(tx, accepted)
      return accepted
    }, actorOf(caller))
    void this.#open(this.#add(name, path)).then(() => this.#resume(request))
    return request
  }

  async #retry(caller: Caller, entry: CityEntry, onAccept: OnAccept): Promise<AcceptedRequest> {
    const request = await this.dependencies.store.write((tx) => {
      tx.orm.update(registered).set({ stoppedAt: null }).where(eq(registered.name, entry.name)).run()
      const accepted = this.dependencies.requests.accept(tx, 'city.create', entry.name, { path: entry.path })
      onAccept(tx, accepted)
      return accepted
    }, actorOf(caller))
    entry.stopped = undefined
    void this.#open(entry).then(() => this.#resume(request))
    return request
  }

  #require(name: string): CityEntry {
    const entry = this.#entries.get(name)
    if (entry) return entry
    throw cityNotFound(name)
  }

  readonly #reportError = (error: unknown): void => this.dependencies.report(errorMessage(error))

  #notifyChanged(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  #recordEvent(tx: Tx, def: typeof CityCreated, { name, path }: { name: string; path: string }): void {
    this.dependencies.log.append(tx, def, { subject: name }, { name, path })
  }

  #add(name: string, path: string): CityEntry {
    const entry = newEntry(name, path)
    this.#entries.set(name, entry)
    return entry
  }

  /** Opens a city; for a stopped one, only ends leftovers of a crash. */
  #openUnlessStopped(entry: CityEntry): Promise<void> {
    if (entry.resting) return Promise.resolve()
    if (entry.stopped === undefined) return this.#open(entry)
    entry.closed = this.dependencies.endSessions(entry.name).catch(this.#reportError)
    return entry.closed
  }

  async #open(entry: CityEntry): Promise<void> {
    await openEntry(entry, this.dependencies, () => this.#entries.get(entry.name) === entry)
    this.#notifyChanged()
  }

  async #close(entry: CityEntry, request: AcceptedRequest): Promise<void> {
    try {
      if (entry.city) await entry.city.close({ endSessions: true })
      else await this.dependencies.endSessions(entry.name)
      this.dependencies.onChange()
      await this.#outcomes.succeed(request, CityUnregisterSucceeded)
    } catch (error) {
      await this.#outcomes.fail(request, 'city_unregister_failed', errorMessage(error))
    }
  }

  /** Records the one event that ends an accepted request. */
  async #resume(request: AcceptedRequest): Promise<void> {
    if (request.operation === 'city.unregister') {
      const path = request.detail.path ?? ''
      return this.#close(newEntry(request.subject, path), request)
    }
    const entry = this.#entries.get(request.subject)
    if (entry?.city) return this.#outcomes.succeed(request, CityCreateSucceeded)
    return this.#outcomes.fail(
      request,
      'city_init_failed',
      entry?.error ?? 'the city was unregistered before it was up',
    )
  }
}

/**
 * The folder that a request names. One folder has one name in the registry, and no name is looked for below a folder of
 * this process, so it must be absolute, without `.` and `..`.
 */
function requireFolder(field: 'dir' | 'path', folder: string): string {
  const path = folder.replace(/(?<=.)[/]$/, '')
  if (isAbsolute(path) && normalize(path) === path && !/(?![\u0080-\u009f])\p{Cc}/u.test(path)) return path
  throw invalidField(
    `body.${field}`,
    `${field} must be the absolute path of a folder, without "." and "..": ${JSON.stringify(folder.slice(0, 200))}`,
  )
}

/** Records the one event that ends an accepted request about a city. */
class RequestOutcomes {
  constructor(private readonly dependencies: Pick<CitiesDependencies, 'store' | 'requests'>) {}

  async succeed(request: AcceptedRequest, def: EventDefinition<typeof CityCreateSucceeded.payload>): Promise<void> {
    const { store, requests } = this.dependencies
    const payload = { request_id: request.id, name: request.subject, path: request.detail.path ?? '' }
    await store.write((tx) => requests.succeed(tx, request.id, def, { subject: request.subject }, payload))
  }

  async fail(request: AcceptedRequest, code: RequestFailureCode, message: string): Promise<void> {
    const { store, requests } = this.dependencies
    await store.write((tx) => requests.fail(tx, request, code, message, request.subject))
  }
}

/** Lets one request at a time work on a folder; another is rejected. */
class PathLocks {
  readonly #locked = new Set<string>()

  async use<T>(path: string, work: () => Promise<T>): Promise<T> {
    if (this.#locked.has(path)) {
      throw new AppError(
        'operation-in-progress',
        `conflict: another request is working on ${path}; try again when it is done`,
      )
    }
    this.#locked.add(path)
    try {
      return await work()
    } finally {
      this.#locked.delete(path)
    }
  }
}

type OpeningDependencies = Pick<CitiesDependencies, 'open' | 'onChange' | 'onOpened' | 'report'>

/** True if a city is being loaded, or could not be. */
const isClosed = ({ city, resting }: CityEntry): boolean => city === undefined && resting === undefined

/** Opens a registered city once what it was before is closed. A city that cannot be opened has the reason as its error. */
async function openEntry(
  entry: CityEntry,
  { open, onChange, onOpened, report }: OpeningDependencies,
  isRegistered: () => boolean,
): Promise<void> {
  entry.error = undefined
  entry.phase = undefined
  entry.done = []
  await entry.closed
  try {
    const city = await open({
      name: entry.name,
      path: entry.path,
      phase: (phase) => {
        if (entry.phase) entry.done.push(entry.phase)
        entry.phase = phase
      },
    })
    if (!isRegistered()) {
      await city.close({ endSessions: true })
      return
    }
    entry.city = city
    entry.resting = undefined
    onChange()
    onOpened(entry.name)
  } catch (error) {
    entry.error = errorMessage(error)
    entry.resting = undefined
    report(`city ${entry.name} could not be started: ${entry.error}`)
  }
}

/** Dependencies of the registry of cities on the supervisor. */
interface CitiesDependencies {
  store: Store
  log: EventLog
  requests: Requests
  clock: Clock
  /** `$GC_HOME`. */
  home: string
  /** Opens the city in a folder; throws with the reason when it cannot. */
  open(city: { name: string; path: string; phase: (now: Phase) => void }): Promise<City>
  /** States with which cities rest, by their names. */
  rests(): ReadonlyMap<string, Rest>
  keepRests(rests: readonly { name: string; rest: Rest }[]): Promise<void>
  /** Loads what lets a city rest, unless it cannot: it is not as it was, or something is due in it. */
  adopt(): Promise<(city: { name: string; path: string; rest: Rest; onNeeded: () => void }) => RestingCity | undefined>
  /** Writes a new city into a folder; returns its name. */
  scaffold(path: string, options: { provider?: string; startCommand?: string }): Promise<string>
  /** The name that the city's own files give it. */
  nameOf(path: string): Promise<string>
  /** Ends the sessions of a city that could not be opened. */
  endSessions(name: string): Promise<void>
  /** Called when a city was opened or closed. */
  onChange(): void
  onOpened(name: string): void
  /** Called in the write that removes a city from the registry. */
  onUnregister(tx: Tx, name: string): void
  report(message: string): void
}
