import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bootId } from '../../core/boot-id.ts'
import { sha256 } from '../../core/digest.ts'
import { claimFolder, createFolder } from '../../core/folders.ts'

/** A socket's path has room for about a hundred bytes on every system. */
const MAX_SOCKET_PATH_BYTES = 100

/** The name of a file that is still being written ends with this. */
export const UNFINISHED = '.new'

/** Paths of one host of a home: a folder per build, so that hosts of two builds run side by side. */
export class HostPaths {
  readonly folder: string
  readonly lock: string
  readonly log: string
  /** Folder of a host's persistent files. Sessions belong to one run of the machine, since no process outlives it. */
  readonly files: HostFolders
  readonly #socket: string
  readonly #elsewhere: string

  constructor(
    readonly home: string,
    readonly build: string,
  ) {
    this.folder = join(hostFolder(home), build.replace(/[^\w.+-]/g, '_'))
    this.lock = join(this.folder, 'lock')
    this.log = join(this.folder, 'log')
    this.files = hostFolders(this.folder)
    this.#socket = join(this.folder, 'socket')
    this.#elsewhere = join(this.folder, 'socket-path')
  }

  /** Makes the folder, which only its owner may enter. */
  open(): void {
    createFolder(this.folder)
    for (const folder of [hostFolder(this.home), this.folder]) claimFolder(folder)
  }

  /** The socket to listen on. Where its path would be too long it lies in a short folder, named in a file here. */
  claimSocket(): string {
    rmSync(this.#socket, { force: true })
    rmSync(this.#elsewhere, { force: true })
    if (Buffer.byteLength(this.#socket) <= MAX_SOCKET_PATH_BYTES) return this.#socket
    const short = join(tmpdir(), `gc-${sha256(this.folder).slice(0, 16)}`)
    claimFolder(short)
    const socket = join(short, 'socket')
    rmSync(socket, { force: true })
    writeFileSync(this.#elsewhere, socket, { mode: 0o600 })
    return socket
  }

  /** The host is gone: no one is to connect here. */
  clearSocket(): void {
    const { socket } = this
    if (socket) rmSync(socket, { force: true })
    rmSync(this.#elsewhere, { force: true })
  }

  /** No one lived to come back here: leaves nothing but the lock, which somebody may be about to take. */
  clear(): void {
    this.clearSocket()
    for (const name of readdirSync(this.folder)) {
      if (!name.startsWith('lock')) rmSync(join(this.folder, name), { recursive: true, force: true })
    }
  }

  /** The socket to connect to; undefined when no host has listened here. */
  get socket(): string | undefined {
    if (existsSync(this.#elsewhere)) return readFileSync(this.#elsewhere, 'utf8')
    return existsSync(this.#socket) ? this.#socket : undefined
  }

  /** True if a host left something that the next one has to end or to report. */
  get hasLeftovers(): boolean {
    const { sessions, exits, records } = this.files
    const isLeftover = (name: string) => !name.endsWith(UNFINISHED)
    return [sessions, exits, records].some((folder) => existsSync(folder) && readdirSync(folder).some(isLeftover))
  }

  /** Every place of a home where a host has been. */
  static all(home: string): HostPaths[] {
    if (!existsSync(hostFolder(home))) return []
    return readdirSync(hostFolder(home))
      .filter((build) => existsSync(join(hostFolder(home), build, 'lock')))
      .map((build) => new HostPaths(home, build))
  }
}

export interface HostFolders {
  sessions: string
  exits: string
  records: string
}

const hostFolders = (folder: string): HostFolders => ({
  sessions: join(folder, 'sessions', bootId()),
  exits: join(folder, 'exits'),
  records: join(folder, 'unheard'),
})

const hostFolder = (home: string): string => join(home, 'host')
