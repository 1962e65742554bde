import { watch } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import type { CommandExit } from '../../agents/launch/index.ts'
import type { CityConfig } from '../../config/city/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { ServiceConfig } from '../../config/services/index.ts'
import type { Suspensions } from '../../config/suspensions/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { createFolder } from '../../core/folders.ts'
import { Signal, unsubscriber } from '../../core/signal.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { SseFrame } from '../../http/sse.ts'
import { publicationOf } from './publication.ts'
import { writePublished } from './published.ts'
import type { RunningService } from './running-service.ts'
import type { ServiceList, ServiceLog, ServiceProcessView, ServiceRestarted, Status } from './schema.ts'
import { ServiceProcess, type ServiceProcessOptions } from './service-process.ts'
import type { ServiceState } from './state.ts'
import { toProcessView, toStatus } from './view.ts'

export interface ServicesOptions extends Omit<ServiceProcessOptions, 'publication' | 'held' | 'onChange'> {
  config: Pick<Config, 'current' | 'onChange'>
  /** The city's name. */
  city: string
  /** True if programs that start on their own wait for a person. */
  approval: { readonly isPending: boolean; onChange(listener: () => void): () => void }
  suspensions: Pick<Suspensions, 'holdOf' | 'onChange'>
  /** Address of the public listener for other machines; undefined without one. */
  publicUrl(): string | undefined
}

const RETRY_MS = 5_000

/** The services of a city and its packs: what they are declared to be, and the processes that answer for them. */
export class Services {
  readonly #services = new Map<string, { service: ServiceConfig; process?: ServiceProcess; since: number }>()
  readonly #changed = new Signal()
  #unsubscribe = () => {}
  #isRunning = false
  /** Writing the files that tell of the services, one time after the other. */
  #publishing: Promise<void> = Promise.resolve()

  constructor(
    private readonly context: CityContext,
    private readonly options: ServicesOptions,
  ) {}

  /** Adopts what runs, starts what does not, and ends what no one declares any more. */
  async start(): Promise<void> {
    const { config, commands, approval, suspensions } = this.options
    this.#isRunning = true
    for (const service of config.current.services) this.#add(service)
    await this.#publish()
    this.#unsubscribe = unsubscriber(
      commands.onExit((exit) => this.#receive(exit)),
      config.onChange(({ current }) => this.#change(current)),
      approval.onChange(() => this.#release()),
      suspensions.onChange(() => this.#release()),
    )
    await this.#match()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    this.#unsubscribe()
    await Promise.allSettled([...this.#processes.map((process) => process.stop()), this.#publishing])
  }

  /** Resolves when nothing is being started, ended or recorded. */
  async whenIdle(): Promise<void> {
    const pending = () => [...this.#processes.map(({ idle }) => idle), this.#publishing]
    for (let seen = pending(); ; seen = pending()) {
      await Promise.all(seen)
      if (pending().every((idle, at) => idle === seen[at])) return
    }
  }

  list(): ServiceList {
    const items = this.running().map((each) => this.#toStatus(each))
    return { items, total: items.length }
  }

  get(name: string): Status {
    return this.#toStatus(this.require(name))
  }

  /** Ours: the process behind a service. */
  process(name: string): ServiceProcessView {
    return toProcessView(this.require(name))
  }

  async restart(caller: Caller, name: string): Promise<ServiceRestarted> {
    const { process, service } = this.require(name)
    if (process) await process.restart(actorOf(caller))
    else if (service.broken !== undefined) throw new AppError('conflict-wrong-state', service.broken)
    return { status: 'ok', action: 'restart', service: name }
  }

  async log(name: string, lines: number): Promise<ServiceLog> {
    const { file } = this.#logOf(name)
    return { ...(await readLog(file, lines)), file }
  }

  /** Output of a service after an offset of its log; from now on without one. */
  follow(name: string, from: number | undefined, signal: AbortSignal): AsyncIterable<SseFrame> {
    const { file } = this.#logOf(name)
    createFolder(dirname(file))
    return frames(followLog(file, from, signal))
  }

  /** Every service, by name. */
  running(): RunningService[] {
    return [...this.#services.keys()].sort().map((name) => this.require(name))
  }

  find(name: string): RunningService | undefined {
    const entry = this.#services.get(name)
    if (!entry) return undefined
    const { service, process, since } = entry
    return { service, process, state: process?.state ?? ownState(service, since) }
  }

  require(name: string): RunningService {
    const found = this.find(name)
    if (!found) throw new AppError('service-not-found', `service ${name} not found; \`gc service list\` shows them`)
    return found
  }

  /** The socket of a service; undefined while it is not ready, and for one that gc itself answers for. */
  socketOf(name: string): string | undefined {
    const { state, process } = this.find(name) ?? {}
    return state?.local === 'ready' ? process?.paths.socket : undefined
  }

  /** Calls the listener whenever the state of one changes; returns how to unsubscribe. */
  readonly onChange = this.#changed.listen

  get #processes(): ServiceProcess[] {
    return [...this.#services.values()].flatMap(({ process }) => process ?? [])
  }

  #add(service: ServiceConfig): ServiceProcess | undefined {
    const since = this.context.clock.now()
    const process =
      service.kind === 'proxy_process'
        ? new ServiceProcess(this.context, service, {
            ...this.options,
            publication: (each) => this.#publication(each),
            held: () => this.#held(),
            onChange: () => this.#notify(),
          })
        : undefined
    this.#services.set(service.name, { service, since, ...(process && { process }) })
    return process
  }

  async #match(): Promise<void> {
    const { deadlines, report } = this.context
    const { commands, repository } = this.options
    try {
      const hosted = await commands.names()
      const known = new Set(repository.list().map(({ name }) => name))
      const strays = [...hosted].filter((name) => !this.#isDeclared(name))
      await Promise.all(strays.map((name) => commands.end(name)))
      for (const name of known) if (!this.#services.get(name)?.process) await this.#forget(name)
      await Promise.allSettled(this.#processes.map((process) => process.start(hosted)))
    } catch (error) {
      report(`the services could not be matched with what runs: ${errorMessage(error)}`)
      deadlines.after(RETRY_MS, () => (this.#isRunning ? this.#match() : undefined))
    }
  }

  /** True if what runs in the session host is of a service that there is. */
  #isDeclared(hosted: string): boolean {
    const [name = ''] = hosted.split('/')
    return this.#services.get(name)?.process !== undefined
  }

  async #forget(name: string): Promise<void> {
    const { store } = this.context
    const { repository } = this.options
    await store.write((tx) => repository.remove(tx, name))
  }

  #change({ services }: CityConfig): void {
    const names = new Set(services.map(({ name }) => name))
    for (const [name, { process }] of this.#services) {
      if (names.has(name)) continue
      this.#services.delete(name)
      this.#guard(process?.remove())
    }
    for (const service of services) this.#changeOne(service)
    this.#release()
    this.#guard(this.#publish())
    this.#notify()
  }

  /** Publishes the addresses of services to the programs of the city. */
  #publish(): Promise<void> {
    const { report } = this.context
    const { surroundings } = this.options
    this.#publishing = this.#publishing
      .then(() => {
        const services = this.running().map(({ service }) => [service.name, this.#publication(service)] as const)
        return writePublished(surroundings().path, new Map(services))
      })
      .catch((error) => report(`the addresses of services could not be written: ${errorMessage(error)}`))
    return this.#publishing
  }

  #changeOne(service: ServiceConfig): void {
    const entry = this.#services.get(service.name)
    if (entry?.process && service.kind === 'proxy_process') {
      this.#services.set(service.name, { ...entry, service })
      entry.process.change(service)
      return
    }
    this.#guard(entry?.process?.remove().then(() => this.#add(service)?.start(new Set())))
    if (!entry?.process) this.#guard(this.#add(service)?.start(new Set()))
  }

  #guard(work: Promise<unknown> | undefined): void {
    work?.catch((error) => this.context.report(`services: ${errorMessage(error)}`))
  }

  async #receive(exit: CommandExit): Promise<void> {
    const [name = ''] = exit.name.split('/')
    await this.#services.get(name)?.process?.receive(exit)
  }

  #publication(service: ServiceConfig) {
    return publicationOf(service, this.options.city, this.options.publicUrl())
  }

  #toStatus(running: RunningService): Status {
    return toStatus(running, this.#publication(running.service))
  }

  #logOf(name: string): { file: string } {
    const { process } = this.require(name)
    if (process) return { file: process.paths.log }
    throw new AppError('invalid-request', `service ${name} is answered by gc itself and has no log`)
  }

  /** Reason no program is started now. */
  #held(): string | undefined {
    const { config, approval, suspensions } = this.options
    const hold = suspensions.holdOf(config.current, '')
    if (hold !== undefined) return `${hold}; gc city resume`
    if (config.current.held !== undefined) return 'the files of the city are broken, so that nothing new is started'
    return approval.isPending ? 'it waits for gc order approve --all' : undefined
  }

  #release(): void {
    if (this.#held() !== undefined) return
    for (const process of this.#processes) process.release()
  }

  #notify(): void {
    this.#changed.emit()
  }
}

async function* frames(pieces: AsyncIterable<{ text: string; offset: number }>): AsyncGenerator<SseFrame> {
  for await (const { text, offset } of pieces) yield { id: String(offset), event: 'log', data: { text } }
}

const ownState = ({ broken }: ServiceConfig, since: number): ServiceState =>
  broken === undefined ? { local: 'ready', since } : { local: 'config_error', reason: broken, since }

/** As much of the end of a log is looked at for its last lines. */
const MAX_TAIL_BYTES = 256 * 1024
const MAX_CHUNK_BYTES = 64 * 1024

/** The last lines of a log, and where it ended then; empty when there is none. */
async function readLog(file: string, lines: number): Promise<{ text: string; offset: number }> {
  const size = await sizeOf(file)
  const text = await readFrom(file, Math.max(0, size - MAX_TAIL_BYTES), MAX_TAIL_BYTES)
  const ended = text.endsWith('\n') || text === '' ? text : `${text}\n`
  return {
    text: ended
      .split('\n')
      .slice(-lines - 1)
      .join('\n'),
    offset: size,
  }
}

/**
 * Appended bytes of a log after an offset, with their end offset, also across truncation; from its end without an
 * offset. Nothing is looked at while nothing changes.
 */
async function* followLog(
  file: string,
  from: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ text: string; offset: number }> {
  const changes = new Changes(file, signal)
  let offset = from ?? (await sizeOf(file))
  try {
    do {
      const size = await sizeOf(file)
      if (size < offset) offset = 0
      while (offset < size) {
        const length = Math.min(size - offset, MAX_CHUNK_BYTES)
        const text = await readFrom(file, offset, length)
        if (text === '') break
        offset += length
        yield { text, offset }
      }
    } while (await changes.next())
  } finally {
    changes.close()
  }
}

/** Notifies of possible changes of a file. */
class Changes {
  readonly #watcher: ReturnType<typeof watch>
  #changed = false
  #wake: (() => void) | undefined

  constructor(
    file: string,
    private readonly signal: AbortSignal,
  ) {
    const name = basename(file)
    this.#watcher = watch(dirname(file), (_event, changed) => {
      if (changed === name || changed === null) this.#notify()
    })
    this.#watcher.on('error', () => this.#notify())
    signal.addEventListener('abort', () => this.#notify(), { once: true })
  }

  /** Resolves at the next change; false when no one wants to know any more. */
  async next(): Promise<boolean> {
    if (!this.#changed && !this.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#changed = false
    return !this.signal.aborted
  }

  close(): void {
    this.#watcher.close()
  }

  #notify(): void {
    this.#changed = true
    this.#wake?.()
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch {
    return 0
  }
}

async function readFrom(file: string, offset: number, length: number): Promise<string> {
  try {
    await using handle = await open(file, 'r')
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position: offset })
    return buffer.subarray(0, bytesRead).toString('utf8')
  } catch {
    return ''
  }
}
