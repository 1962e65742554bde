import { systemClock } from '../../core/clock.ts'
import { Deadlines } from '../../core/deadlines.ts'
import { releaseAfterStart } from '../../core/program-memory.ts'
import { listen } from '../../http/listen.ts'
import type { Lease, LeaseSource, RequestLimit } from '../../social/limits/index.ts'
import { createReader, type ReaderSetup, type Writer } from '../../social/reader.ts'
import { stackOf } from '../stack.ts'
import type { FromReader, Requests, ToReader } from './messages.ts'

/** Runs a reader of the network as a child of the writer, until that requests it or is gone. */
export async function runReader(): Promise<number> {
  const link = new WriterLink()
  const report = (error: unknown) => link.send({ kind: 'report', message: stackOf(error) })
  process.on('uncaughtException', report)
  process.on('unhandledRejection', report)
  // A reader never outlives its writer: what comes after that may be another database.
  process.on('disconnect', () => process.exit(0))
  // The terminal sends it to all; the writer stops its readers itself.
  process.on('SIGINT', () => {})
  process.on('SIGHUP', () => {})
  const setup = await link.setup
  const deadlines = new Deadlines(systemClock, undefined, report)
  const reader = await createReader({ ...setup, clock: systemClock, deadlines, writer: link, report })
  const { host, port } = setup
  const listening = listen(reader.handler, { host, port, deadlines, sharesPort: true, report })
  releaseAfterStart(deadlines)
  link.send({ kind: 'ready' })
  await link.stopped
  await listening.stop()
  await reader.close()
  deadlines.close()
  process.exit(0)
}

/** The connection of a reader to the writer. */
class WriterLink implements Writer {
  readonly #start = Promise.withResolvers<ReaderSetup>()
  readonly #stop = Promise.withResolvers<void>()
  readonly #pending = new Map<number, (leases: readonly Lease[]) => void>()
  #wanted: { limit: RequestLimit; caller: string; count: () => number; resolve: (lease: Lease) => void }[] = []
  #lastId = 0

  constructor() {
    process.on('message', (message: ToReader) => this.#receive(message))
  }

  get setup(): Promise<ReaderSetup> {
    return this.#start.promise
  }

  get stopped(): Promise<void> {
    return this.#stop.promise
  }

  send(message: FromReader): void {
    process.send?.(message)
  }

  leases(limit: RequestLimit): LeaseSource {
    return {
      lease: (caller, count) => this.#lease(limit, caller, count),
      giveBack: (caller, count) => this.send({ kind: 'give back', requests: { limit, caller, count } }),
    }
  }

  passActivity(activity: readonly (readonly [number, number])[]): void {
    this.send({ kind: 'activity', activity })
  }

  /** Combines the requests of one turn of the loop in one message. */
  #lease(limit: RequestLimit, caller: string, count: () => number): Promise<Lease> {
    if (this.#wanted.length === 0) setImmediate(() => this.#sendWanted())
    const { promise, resolve } = Promise.withResolvers<Lease>()
    this.#wanted.push({ limit, caller, count, resolve })
    return promise
  }

  #sendWanted(): void {
    const wanted = this.#wanted
    this.#wanted = []
    const id = ++this.#lastId
    this.#pending.set(id, (leases) => {
      for (const [at, lease] of leases.entries()) wanted[at]?.resolve(lease)
    })
    const requests: Requests[] = wanted.map(({ limit, caller, count }) => ({ limit, caller, count: count() }))
    this.send({ kind: 'lease', id, requests })
  }

  #receive(message: ToReader): void {
    if (message.kind === 'start') this.#start.resolve(message.setup)
    else if (message.kind === 'stop') this.#stop.resolve()
    else {
      this.#pending.get(message.id)?.(message.leases)
      this.#pending.delete(message.id)
    }
  }
}
