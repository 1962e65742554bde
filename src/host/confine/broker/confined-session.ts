import { readFileSync } from 'node:fs'
import { sep } from 'node:path'
import { readProcess } from '../../process/index.ts'
import { OTHERS } from '../denials.ts'
import type { Policy } from '../policy.ts'
import { closeness, parseListed } from './socket-address.ts'

/** A call that was refused to a confined program. */
export interface Denial {
  call: string
  /** Target of the access: a path, an address or a process. */
  target: string
}

/** A reported denial: `count` times since the last report. */
export interface Told extends Denial {
  count: number
  /** True if it is the first of its kind. */
  isNew: boolean
}

/** Maximum number of distinct denials per session, since a program may try thousands of ports. */
export const MAX_DENIAL_KINDS = 200
const MAX_TARGET = 300
/** Maximum time a socket may take to be listed after it was allowed to listen. */
const BEGINNING_MS = 1_000
/** Minimum interval between reports of the same denial. */
const AGAIN_MS = 1_000

interface Kind extends Denial {
  untold: number
  toldAt: number | undefined
}

/**
 * Connections to its proxy that a session makes immediately, and then in a second: all sessions of a host have one
 * proxy thread.
 */
const [PROXY_BURST, PROXY_PER_SECOND] = [128, 100]
const PROXY_EVERY_MS = 1000 / PROXY_PER_SECOND

/** State of one sandboxed session in the broker. */
export class ConfinedSession {
  readonly #writable: readonly string[]
  /** Sockets that listen, by the numbers of their files, and when they began to. */
  readonly #listening = new Map<string, number>()
  readonly #kinds = new Map<string, Kind>()

  readonly policy: Policy
  readonly #leader: number
  readonly #leaderStart: string | undefined
  readonly #reserved: readonly number[]
  readonly #proxy: number | undefined
  /** Due time of its next connection to its proxy, if connections were evenly spaced. */
  #proxyDue = 0

  constructor(
    {
      leader,
      policy,
      reserved,
      proxy,
    }: { leader: number; policy: Policy; reserved: readonly number[]; proxy?: number },
    private readonly report: (told: Told) => void,
  ) {
    this.policy = policy
    this.#leader = leader
    this.#leaderStart = readProcess(leader)?.started
    this.#reserved = reserved
    this.#proxy = proxy
    this.#writable = policy.write.filter((path) => path !== '/dev' && !path.startsWith('/dev/'))
  }

  /** True if a file is in a folder that the session may change; devices never are. */
  mayChange(path: string): boolean {
    return this.#writable.some((root) => path === root || path.startsWith(root.endsWith(sep) ? root : `${root}${sep}`))
  }

  deny(call: string, target: string): void {
    const kind = this.#kindOf({ call, target: target.slice(0, MAX_TARGET) })
    kind.untold += 1
    if (kind.toldAt === undefined || performance.now() - kind.toldAt >= AGAIN_MS) this.#tell(kind)
  }

  /** Reports new denials. */
  flush(): void {
    for (const kind of this.#kinds.values()) if (kind.untold > 0) this.#tell(kind)
  }

  #kindOf(denial: Denial): Kind {
    const name = `${denial.call} ${denial.target}`
    const known = this.#kinds.get(name)
    if (known) return known
    if (this.#kinds.size >= MAX_DENIAL_KINDS && denial !== OTHERS) return this.#kindOf(OTHERS)
    const kind = { ...denial, untold: 0, toldAt: undefined }
    this.#kinds.set(name, kind)
    return kind
  }

  #tell(kind: Kind): void {
    const { call, target, untold, toldAt } = kind
    kind.untold = 0
    kind.toldAt = performance.now()
    this.report({ call, target, count: untold, isNew: toldAt === undefined })
  }

  /** True for a port that it must not listen on, because programs outside expect gc there. */
  isReserved(port: number): boolean {
    return this.#reserved.includes(port)
  }

  /** Milliseconds that a connection to a port of this machine waits for those that the session made before it. */
  waitBefore(port: number, now = performance.now()): number {
    if (port !== this.#proxy) return 0
    const due = Math.max(this.#proxyDue, now - PROXY_BURST * PROXY_EVERY_MS)
    this.#proxyDue = due + PROXY_EVERY_MS
    return Math.max(0, due - now)
  }

  /** A socket of the session begins to listen. */
  addListener(inode: string): void {
    this.#listening.set(inode, performance.now())
  }

  /** True if who connects to an address of this machine now comes to one of the session's own sockets. */
  listensAt(address: string, port: number): boolean {
    if (this.#listening.size === 0) return false
    const listed = [...listSockets()]
    this.#forgetClosed(new Set(listed.map(({ inode }) => inode)))
    const hearing = listed.flatMap((socket) => {
      const close = socket.port === port ? closeness(socket.address, address) : undefined
      return close === undefined ? [] : [{ close, isOwn: this.#listening.has(socket.inode) }]
    })
    const closest = Math.max(...hearing.map(({ close }) => close))
    return hearing.length > 0 && hearing.every(({ close, isOwn }) => isOwn || close < closest)
  }

  #forgetClosed(listed: ReadonlySet<string>): void {
    const past = performance.now() - BEGINNING_MS
    for (const [inode, since] of this.#listening) {
      if (since < past && !listed.has(inode)) this.#listening.delete(inode)
    }
  }

  /** True if a process descends from the session's first, whose number is another's once it is over. */
  isMember(pid: number): boolean {
    let at = readProcess(pid)
    for (let steps = 0; at && at.pid > 1 && steps < 1000; steps++) {
      if (at.pid === this.#leader) return at.started === this.#leaderStart
      at = readProcess(at.parent)
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

function readOr(path: string, otherwise: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return otherwise
  }
}
