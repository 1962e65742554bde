import { homedir } from 'node:os'
import { basename, isAbsolute, join } from 'node:path'
import { eq } from 'drizzle-orm'
import type { City } from '../city/city.ts'
import { CITY_NAME } from '../config/names.ts'
import type { Clock } from '../core/clock.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import type { EventDef } from '../core/events/event.ts'
import type { EventLog } from '../core/events/log.ts'
import type { Accepted, Requests } from '../core/requests.ts'
import type { Store, Tx } from '../core/store.ts'
import { CityCreated, CityCreateSucceeded, CityUnregisterRequested, CityUnregisterSucceeded } from './events.ts'
import type { CityCreate, CityInfo, CityRegister } from './schema.ts'
import { cities as registered } from './table.ts'

/** The steps of a city's start, in order. */
export const PHASES = [
  'loading_config',
  'starting_bead_store',
  'resolving_formulas',
  'adopting_sessions',
  'starting_agents',
] as const
export type Phase = (typeof PHASES)[number]

interface Entry {
  name: string
  path: string
  city: City | undefined
  phase: Phase | undefined
  done: Phase[]
  error: string | undefined
}

interface Parts {
  store: Store
  log: EventLog
  requests: Requests
  clock: Clock
  /** Brings up the city in a folder; throws a sentence when it cannot. */
  open(at: { name: string; path: string; phase: (now: Phase) => void }): Promise<City>
  /** Writes a new city into a folder, and says what it is called. */
  scaffold(path: string, options: { provider?: string; startCommand?: string }): Promise<string>
  /** The name a city's own files give it. */
  nameOf(path: string): Promise<string>
  /** Ends whatever still runs for a city that could not be opened. */
  endSessions(name: string): Promise<void>
  /** Hears of cities that came up or went away. */
  changed(): void
  report(message: string): void
}

/** Takes part in the write in which a request is accepted. */
export type Keep = (tx: Tx, accepted: Accepted) => void

/** The registry of cities and the running ones among them. A city in trouble is shown so, and harms no other. */
export class Cities {
  readonly #entries = new Map<string, Entry>()
  readonly #busy = new Set<string>()

  constructor(private readonly parts: Parts) {
    for (const { name, path } of parts.store.read((orm) => orm.select().from(registered).all())) this.#add(name, path)
  }

  list(): CityInfo[] {
    return [...this.#entries.values()].sort((a, b) => (a.name < b.name ? -1 : 1)).map(toInfo)
  }

  up(): City[] {
    return [...this.#entries.values()].flatMap(({ city }) => city ?? [])
  }

  /** The running city of that name; `city-not-found` while it is unknown, starting or failed. */
  running(name: string): City {
    const city = this.#entries.get(name)?.city
    if (!city) throw new AppError('city-not-found', `not_found: city not found or not running: ${name}`)
    return city
  }

  find(name: string): City | undefined {
    return this.#entries.get(name)?.city
  }

  /** Brings every registered city up and ends what a crash left unfinished. */
  async start(): Promise<void> {
    const unfinished = this.parts.requests.open()
    await Promise.all([...this.#entries.values()].map((entry) => this.#bringUp(entry)))
    for (const request of unfinished) await this.#resume(request)
  }

  /** Writes a new city and registers it. Answers once it is on disk; the outcome is an event. */
  async create(body: CityCreate, keep: Keep = () => {}): Promise<Accepted> {
    if (body.provider !== undefined && body.start_command !== undefined) {
      throw new AppError('validation-failed', 'validation failed', {
        fieldErrors: [{ message: 'give provider or start_command, not both', location: 'body.start_command' }],
      })
    }
    const path = isAbsolute(body.dir) ? body.dir : join(homedir(), body.dir)
    return this.#exclusively(path, async () => {
      this.#refuseTaken(basename(path), path)
      const name = await this.parts.scaffold(path, {
        ...(body.provider !== undefined && { provider: body.provider }),
        ...(body.start_command !== undefined && { startCommand: body.start_command }),
      })
      return this.#register(name, path, keep)
    })
  }

  /** Registers a folder that holds a city already; one that is registered and could not be started is tried again. */
  async register({ path, name }: CityRegister): Promise<Accepted> {
    if (!isAbsolute(path)) throw new AppError('invalid-request', `path must be absolute: ${path}`)
    if (name !== undefined && !CITY_NAME.test(name)) {
      throw new AppError('invalid-request', `"${name}" cannot name a city: letters, digits, ".", "-" and "_" can`)
    }
    return this.#exclusively(path, async () => {
      const failed = [...this.#entries.values()].find((entry) => entry.path === path && entry.error !== undefined)
      if (failed) return this.#retry(failed)
      const own = await this.parts.nameOf(path)
      return this.#register(name ?? own, path)
    })
  }

  /** Takes a city out of the registry, then ends its sessions; its folder stays. */
  async unregister(name: string): Promise<Accepted> {
    const entry = this.#entries.get(name)
    if (!entry) throw new AppError('city-not-found', `not_found: city not found or not running: ${name}`)
    return this.#exclusively(entry.path, async () => {
      const request = await this.parts.store.write((tx) => {
        tx.orm.delete(registered).where(eq(registered.name, name)).run()
        this.#announce(tx, CityUnregisterRequested, entry)
        return this.parts.requests.accept(tx, 'city.unregister', name, { path: entry.path })
      })
      this.#entries.delete(name)
      void this.#takeDown(entry, request)
      return request
    })
  }

  /** Closes every running city; their agents are left to the host unless `endSessions`. */
  async close({ endSessions }: { endSessions: boolean }): Promise<void> {
    await Promise.all(this.up().map((city) => city.close({ endSessions })))
  }

  async #register(name: string, path: string, keep: Keep = () => {}): Promise<Accepted> {
    this.#refuseTaken(name, path)
    const request = await this.parts.store.write((tx) => {
      tx.orm.insert(registered).values({ name, path, registeredAt: this.parts.clock.now() }).run()
      this.#announce(tx, CityCreated, { name, path })
      const accepted = this.parts.requests.accept(tx, 'city.create', name, { path })
      keep(tx, accepted)
      return accepted
    })
    void this.#bringUp(this.#add(name, path)).then(() => this.#resume(request))
    return request
  }

  async #retry(entry: Entry): Promise<Accepted> {
    const request = await this.parts.store.write((tx) =>
      this.parts.requests.accept(tx, 'city.create', entry.name, { path: entry.path }),
    )
    void this.#bringUp(entry).then(() => this.#resume(request))
    return request
  }

  #refuseTaken(name: string, path: string): void {
    for (const entry of this.#entries.values()) {
      if (entry.path === path) {
        throw new AppError('conflict-wrong-state', `conflict: city already initialized at ${path}`)
      }
      if (entry.name.toLowerCase() === name.toLowerCase()) {
        throw new AppError('conflict-wrong-state', `conflict: a city named ${name} is registered at ${entry.path}`)
      }
    }
  }

  async #exclusively<T>(path: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(path)) {
      throw new AppError(
        'operation-in-progress',
        `conflict: another request is working on ${path}; try again when it is done`,
      )
    }
    this.#busy.add(path)
    try {
      return await work()
    } finally {
      this.#busy.delete(path)
    }
  }

  #announce(tx: Tx, def: typeof CityCreated, { name, path }: { name: string; path: string }): void {
    this.parts.log.append(tx, def, { actor: 'api', subject: name }, { name, path })
  }

  #add(name: string, path: string): Entry {
    const entry: Entry = { name, path, city: undefined, phase: undefined, done: [], error: undefined }
    this.#entries.set(name, entry)
    return entry
  }

  async #bringUp(entry: Entry): Promise<void> {
    entry.error = undefined
    entry.phase = undefined
    entry.done = []
    try {
      const city = await this.parts.open({
        name: entry.name,
        path: entry.path,
        phase: (now) => {
          if (entry.phase) entry.done.push(entry.phase)
          entry.phase = now
        },
      })
      if (this.#entries.get(entry.name) !== entry) return await city.close({ endSessions: true })
      entry.city = city
      this.parts.changed()
    } catch (error) {
      entry.error = errorMessage(error)
      this.parts.report(`city ${entry.name} could not be started: ${entry.error}`)
    }
  }

  async #takeDown(entry: Entry, request: Accepted): Promise<void> {
    try {
      if (entry.city) await entry.city.close({ endSessions: true })
      else await this.parts.endSessions(entry.name)
      this.parts.changed()
      await this.#succeed(request, CityUnregisterSucceeded)
    } catch (error) {
      await this.#fail(request, 'city_unregister_failed', errorMessage(error))
    }
  }

  /** Gives an accepted request the one terminal event its outcome deserves. */
  async #resume(request: Accepted): Promise<void> {
    if (request.operation === 'city.unregister') {
      const path = request.detail.path ?? ''
      return this.#takeDown(
        { name: request.subject, path, city: undefined, phase: undefined, done: [], error: undefined },
        request,
      )
    }
    const entry = this.#entries.get(request.subject)
    if (entry?.city) return this.#succeed(request, CityCreateSucceeded)
    return this.#fail(request, 'city_init_failed', entry?.error ?? 'the city was unregistered before it was up')
  }

  async #succeed(request: Accepted, def: EventDef<typeof CityCreateSucceeded.payload>): Promise<void> {
    const payload = { request_id: request.id, name: request.subject, path: request.detail.path ?? '' }
    await this.parts.store.write((tx) => {
      this.parts.requests.succeed(tx, request.id, def, { actor: 'api', subject: request.subject }, payload)
    })
  }

  async #fail(request: Accepted, code: string, message: string): Promise<void> {
    await this.parts.store.write((tx) => {
      this.parts.requests.fail(tx, request, code, message, request.subject)
    })
  }
}

function toInfo({ name, path, city, phase, done, error }: Entry): CityInfo {
  if (city) return { name, path, running: true }
  if (error !== undefined) return { name, path, running: false, status: 'init_failed', error, phases_completed: done }
  return { name, path, running: false, status: phase ?? PHASES[0], phases_completed: done }
}
