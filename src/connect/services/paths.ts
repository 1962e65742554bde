import { createHash } from 'node:crypto'
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ServiceConfig } from '../../config/services/service.ts'
import { claimFolder, requireNoLinks } from '../../core/folders.ts'

/** How much of a log is kept, twice over. */
export const LOG_BYTES = 4 * 1024 * 1024
/** The system takes no longer path of a socket. */
const MAX_SOCKET_BYTES = 100

const hash = (text: string, length: number): string => createHash('sha256').update(text).digest('hex').slice(0, length)

/** The files of one service. */
export interface ServicePaths {
  /** Where it keeps its state. */
  readonly stateRoot: string
  readonly secrets: string
  readonly run: string
  readonly log: string
  /** The socket on which it is to listen. */
  readonly socket: string
}

/** Names the files of a service; the socket's path is short wherever the city lies. */
export function pathsOf(
  { name, stateRoot }: Pick<ServiceConfig, 'name' | 'stateRoot'>,
  city: string,
  home: string,
): ServicePaths {
  const root = join(city, stateRoot)
  return {
    stateRoot: root,
    secrets: join(root, 'secrets'),
    run: join(root, 'run'),
    log: join(root, 'logs', 'service.log'),
    socket: join(socketFolder(home), `${hash(`${city}\0${name}`, 16)}.sock`),
  }
}

/** The folder of all sockets of a home: in it, or, where that is too deep, in one of its own. */
function socketFolder(home: string): string {
  const inside = join(home, 'run')
  const longest = join(inside, `${hash('', 16)}.sock`)
  return Buffer.byteLength(longest) <= MAX_SOCKET_BYTES ? inside : join('/tmp', `gc-run-${hash(home, 16)}`)
}

/** Makes the folders of a service, which only their owner may enter, and takes away the socket of an earlier process. */
export function prepareFolders({ stateRoot, secrets, run, log, socket }: ServicePaths, city: string): void {
  for (const path of [secrets, run, join(log, '..')]) {
    requireNoLinks(city, path)
    mkdirSync(path, { recursive: true, mode: 0o700 })
  }
  for (const folder of [stateRoot, secrets, join(socket, '..')]) claimFolder(folder)
  rmSync(socket, { force: true })
}
