import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import type { Deadlines } from '../../core/deadlines.ts'
import { errorMessage } from '../../core/errors.ts'
import { listenOnSocket } from '../../http/listen.ts'
import type { ReaderSetup } from '../../social/reader.ts'
import type { Social } from '../../social/social.ts'
import type { FromReader, ToReader } from './messages.ts'

/** The word with which the program runs as a reader. */
export const READER_COMMAND = '__social-reader'

interface ReadersOptions {
  readonly count: number
  readonly social: Social
  readonly setup: Omit<ReaderSetup, 'socket'>
  readonly program: readonly string[]
  readonly env: Readonly<Record<string, string | undefined>>
  readonly deadlines: Deadlines
  report(message: string): void
}

/** Delay before an exited reader restarts: the first and the maximum, in milliseconds. */
const RESTART_MS = 100
const MAX_RESTART_MS = 10_000
/** From so many milliseconds on, a reader that ends counts as one that worked. */
const WORKED_MS = 30_000
/**
 * Number of bytes after which a reader collects what it has allocated since the last time. The runtime allows more than
 * thrice as many, which takes more memory in each of possibly many readers than the processor time that it saves is worth.
 */
const COLLECTED_BYTES = 4 * 1024 * 1024
/** Maximum time a reader may take to answer what is under way, in milliseconds. */
const STOP_MS = 5_000

/** The processes beside this one that answer what only reads. */
export class Readers {
  readonly #running = new Set<Subprocess>()
  #isStopping = false

  private constructor(
    private readonly options: ReadersOptions,
    private readonly socket: string,
  ) {}

  /** Starts the readers; resolves once each takes requests. */
  static async start(options: ReadersOptions, resources: AsyncDisposableStack): Promise<void> {
    const folder = mkdtempSync(join(tmpdir(), 'gc-readers-'))
    resources.defer(() => rmSync(folder, { recursive: true, force: true }))
    const path = join(folder, 'writer.sock')
    const { social, report, count } = options
    const handler = social.passed.handlerOf(social.handler)
    const listening = listenOnSocket(handler, { path, report: (error) => report(errorMessage(error)) })
    resources.defer(() => listening.stop())
    const readers = new Readers(options, path)
    resources.defer(() => readers.#stop())
    await Promise.all(Array.from({ length: count }, () => readers.#run(RESTART_MS)))
  }

  /** Runs a reader, and another when it ends; resolves once the first takes requests or has ended. */
  #run(delay: number): Promise<void> {
    const { program, env, deadlines, report, setup } = this.options
    const { promise: ready, resolve } = Promise.withResolvers<void>()
    const started = performance.now()
    const reader: Subprocess = Bun.spawn([...program, READER_COMMAND], {
      env: { PATH: env.PATH ?? '', HOME: env.HOME ?? '', BUN_JSC_gcMaxHeapSize: String(COLLECTED_BYTES) },
      ...{ stdin: 'ignore', stdout: 'ignore', stderr: 'ignore' },
      serialization: 'advanced',
      ipc: (message: FromReader) => {
        if (message.kind === 'ready') resolve()
        else this.#receive(reader, message)
      },
      onExit: (_, code, signal) => {
        this.#running.delete(reader)
        resolve()
        if (this.#isStopping) return
        report(`a reader of the network ended (${signal ?? code}); another is started`)
        const next = performance.now() - started > WORKED_MS ? RESTART_MS : delay
        deadlines.after(next, () => this.#isStopping || this.#run(Math.min(next * 2, MAX_RESTART_MS)))
      },
    })
    this.#running.add(reader)
    this.#send(reader, { kind: 'start', setup: { ...setup, socket: this.socket } })
    return ready
  }

  #send(reader: Subprocess, message: ToReader): void {
    if (this.#running.has(reader)) reader.send(message)
  }

  #receive(reader: Subprocess, message: Exclude<FromReader, { kind: 'ready' }>): void {
    const { limiters, network } = this.options.social
    if (message.kind === 'report') this.options.report(message.message)
    else if (message.kind === 'activity') network.activity.add(message.activity)
    else if (message.kind === 'give back') {
      const { limit, caller, count } = message.requests
      limiters[limit].giveBack(caller, count)
    } else {
      const leases = message.requests.map(({ limit, caller, count }) => limiters[limit].lease(caller, count))
      this.#send(reader, { kind: 'leases', id: message.id, leases })
    }
  }

  /** Stops all; resolves once none reads the database any more. */
  async #stop(): Promise<void> {
    this.#isStopping = true
    const running = [...this.#running]
    for (const reader of running) this.#send(reader, { kind: 'stop' })
    const late = this.options.deadlines.after(STOP_MS, () => {
      for (const reader of running) reader.kill('SIGKILL')
    })
    await Promise.all(running.map(({ exited }) => exited))
    late.cancel()
  }
}
