import { readFileSync, realpathSync } from 'node:fs'
import { sep } from 'node:path'
import type { Policy } from '../policy.ts'
import { hears, parseListed } from './socket-address.ts'

/** A call that was refused to a confined program. */
export interface Denial {
  call: string
  /** What it was about: a path, an address, a process. */
  target: string
}

/** Kinds of denials that are told of one session; a program that tries ports by the thousand tells nothing new. */
const MAX_TOLD = 200

/** What the broker knows of one confined session. */
export class ConfinedSession {
  readonly #writable: readonly string[]
  /** Sockets that listen, by the numbers of their files, and whether each hears its own version of the protocol only. */
  readonly #listening = new Map<string, { oneVersion: boolean }>()
  readonly #told = new Set<string>()

  constructor(
    readonly key: string,
    readonly leader: number,
    readonly policy: Policy,
    private readonly report: (denial: Denial) => void,
  ) {
    this.#writable = policy.write.map(realPath).filter((path) => path !== '/dev' && !path.startsWith('/dev/'))
  }

  /** Whether a file is in a folder that the session may change; devices never are. */
  mayChange(path: string): boolean {
    return this.#writable.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
  }

  deny(call: string, target: string): void {
    const name = `${call} ${target}`
    if (this.#told.has(name) || this.#told.size >= MAX_TOLD) return
    this.#told.add(name)
    this.report({ call, target })
  }

  addListener(inode: string, socket: { oneVersion: boolean }): void {
    this.#listening.set(inode, socket)
  }

  /** Whether one of the session's own sockets listens at an address of this machine now. */
  listensAt(address: string, port: number): boolean {
    if (this.#listening.size === 0) return false
    const listed = [...listSockets()].flatMap((socket) => {
      const known = this.#listening.get(socket.inode)
      return known ? [{ ...socket, ...known }] : []
    })
    this.#listening.clear()
    for (const { inode, oneVersion } of listed) this.#listening.set(inode, { oneVersion })
    return listed.some((socket) => socket.port === port && hears(socket, address))
  }

  /** Whether a process descends from the session's first. */
  isMember(pid: number): boolean {
    for (let at = pid, steps = 0; at > 1 && steps < 1000; steps++) {
      if (at === this.leader) return true
      at = parentOf(at)
    }
    return false
  }
}

const LISTEN = '0A'

function* listSockets(): Generator<{ inode: string; address: string; port: number }> {
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    for (const line of readOr(table, '').split('\n').slice(1)) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
      const [address = '', port = ''] = local.split(':')
      if (state === LISTEN && inode) yield { inode, address: parseListed(address), port: Number.parseInt(port, 16) }
    }
  }
}

function parentOf(pid: number): number {
  return Number(/^PPid:\s*(\d+)/m.exec(readOr(`/proc/${pid}/status`, ''))?.[1] ?? 0)
}

function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return path
  }
}

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}
