import { Database } from 'bun:sqlite'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { TempFolder } from './folder.ts'
import { FrameConnection, type HostFrame } from './host-frames.ts'

interface Screen {
  lines: string[]
}

/** `host.json`: what the host of a release answered after its supervisor was killed. */
export interface ReleaseHost {
  hello: { hello: { protocol: number; build: string; pid: number } }
  list: { sessions: { key: string; run: string; pid: number; bytes: number }[] }
  status: Record<string, unknown>
  screens: Record<string, Screen>
  snapshots: Record<string, { ansi: string }>
  /** Exits that no supervisor has acknowledged. */
  exits: { key: string; run: string }[]
  /** Pushed records that no supervisor has acknowledged. */
  records: { push: string; key: string; run: string; records: { seq: number }[] }[]
}

/** Longest socket path that every system accepts. */
const SOCKET_PATH_MAX = 100

/** Replaces a running host of a release: it holds that host's lock and gives the answers that were recorded. */
export class OldHost implements Disposable {
  readonly requests: HostFrame[] = []
  readonly #connections = new Set<FrameConnection>()
  readonly #lock: Database
  readonly #listener: { stop(closing?: boolean): void }
  #requested = Promise.withResolvers<void>()

  constructor(
    folder: TempFolder,
    private readonly recorded: ReleaseHost,
  ) {
    const place = folder.at('home', 'host', recorded.hello.hello.build)
    for (const name of ['exits', 'unheard']) rmSync(join(place, name), { recursive: true, force: true })
    this.#lock = new Database(join(place, 'lock'), { readwrite: true, strict: true })
    this.#lock.run('BEGIN EXCLUSIVE')
    const path = join(place, 'socket')
    const unix = Buffer.byteLength(path) <= SOCKET_PATH_MAX ? path : folder.at('s')
    if (unix !== path) writeFileSync(join(place, 'socket-path'), unix)
    this.#listener = Bun.listen<FrameConnection>({
      unix,
      socket: {
        open: (socket) => {
          const connection: FrameConnection = new FrameConnection((frame) => this.#receive(connection, frame))
          socket.data = connection
          this.#connections.add(connection)
          connection.opened(socket)
        },
        data: ({ data: connection }, bytes) => connection.received(bytes),
        drain: ({ data: connection }) => connection.drained(),
        close: ({ data: connection }) => void this.#connections.delete(connection),
      },
    })
  }

  push(header: object, payload?: Uint8Array): void {
    for (const connection of this.#connections) connection.send(header, payload)
  }

  /** Resolves with the header of the first request that matches; fails after ten seconds. */
  async waitFor(what: string, matches: (header: HostFrame['header']) => boolean): Promise<HostFrame['header']> {
    const timeout = Bun.sleep(10_000).then(() => 'timeout' as const)
    for (;;) {
      const request = this.requests.find(({ header }) => matches(header))
      if (request) return request.header
      const ended = await Promise.race([this.#requested.promise, timeout])
      if (ended === 'timeout') throw new Error(`the host never received ${what}`)
    }
  }

  [Symbol.dispose](): void {
    this.#listener.stop(true)
    this.#lock.close()
  }

  #receive(connection: FrameConnection, frame: HostFrame): void {
    const { header } = frame
    if ('hello' in header) {
      connection.send({ hello: { ...this.recorded.hello.hello, pid: process.pid } })
      return
    }
    this.requests.push(frame)
    const { ok, payload } = this.#answer(header)
    connection.send({ re: header.id, ok }, payload)
    this.#requested.resolve()
    this.#requested = Promise.withResolvers()
  }

  #answer({ op, key, lines, from }: HostFrame['header']): { ok: object; payload?: Uint8Array } {
    const { list, status, screens, snapshots } = this.recorded
    const screen = screens[String(key)]
    const { ansi = '', ...snapshot } = snapshots[String(key)] ?? {}
    switch (op) {
      case 'list':
        return { ok: list }
      case 'status':
        return { ok: { ...status, pid: process.pid } }
      case 'screen':
        return { ok: { ...screen, ...(typeof lines === 'number' && { lines: lastLines(screen?.lines ?? [], lines) }) } }
      case 'snapshot':
        return { ok: snapshot, payload: Buffer.from(ansi) }
      case 'follow':
        return { ok: { from } }
      default:
        return { ok: {} }
    }
  }
}

/** The last lines that are not blank. */
const lastLines = (lines: readonly string[], count: number): string[] =>
  lines.slice(0, lines.findLastIndex((line) => line !== '') + 1).slice(-count)
