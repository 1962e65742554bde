import { readSync } from 'node:fs'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { syscall } from '../../../core/libc.ts'
import { isPriorityCall, isSignalCall } from '../filters.ts'
import { receiveDescriptor } from '../handover.ts'
import { type Policy, toPolicy } from '../policy.ts'
import { architecture, callNumber, namesOfCalls } from '../system-calls.ts'
import { ConfinedSession, type Told } from './confined-session.ts'
import { type Connecting, connect } from './connect.ts'
import { changeMode } from './modes.ts'
import { type Answer, type Notification, receive, respond } from './notification.ts'
import { close, processOf, takeDescriptor } from './process-access.ts'
import { isForbidden, socketInode } from './program-socket.ts'
import { parseSocketAddress, showAddress } from './socket-address.ts'

const SentAdmission = Type.Object({
  key: Type.String(),
  leader: Type.Integer(),
  socket: Type.Integer(),
  policy: Type.Unknown(),
  reserved: Type.Array(Type.Integer()),
  /** The port of the proxy that the host has for it. */
  proxy: Type.Optional(Type.Integer()),
  /** Folder in which its denials are counted. */
  folder: Type.String(),
})
/** A program that was started confined: it hands its listener over at the other end of `socket`. */
export interface Admission extends Static<typeof SentAdmission> {
  policy: Policy
}

export interface Report extends Told {
  key: string
  folder: string
  /** Hosts to allow for a connection that its proxy refused. */
  hosts?: readonly string[]
}

const ENOSYS = 38
const EIO = 5
const NAMES = namesOfCalls(architecture())

/** A connection that waits for its turn. */
interface Delayed {
  listener: number
  notification: Notification
  due: number
}

interface Waiting {
  listener: number
  notification: Notification
  connecting: Connecting
}

/** Answers the calls of confined programs until its control pipe is closed. */
export class BrokerLoop {
  readonly #sessions = new Map<number, ConfinedSession>()
  readonly #handovers = new Map<number, Admission>()
  readonly #connecting = new Map<number, Waiting>()
  /** One for each thread that waits in its call at most. */
  #delayed: Delayed[] = []
  #commands = ''

  constructor(
    private readonly control: number,
    private readonly report: (report: Report) => void,
  ) {}

  run(): void {
    for (;;) {
      const reading = [this.control, ...this.#handovers.keys(), ...this.#sessions.keys()]
      for (const { descriptor, ready, gone } of waitFor(reading, [...this.#connecting.keys()], this.#untilNext())) {
        if (descriptor === this.control) {
          if (!this.#readCommands()) return
        } else if (this.#handovers.has(descriptor)) this.#takeListener(descriptor)
        else if (this.#connecting.has(descriptor)) this.#finishConnecting(descriptor)
        else if (ready) this.#answer(descriptor)
        else if (gone) this.#forget(descriptor)
      }
      this.#resumeDelayed()
    }
  }

  /** Answers false when no one will ask for anything any more. */
  #readCommands(): boolean {
    const bytes = Buffer.alloc(64 << 10)
    const length = readSync(this.control, bytes)
    if (length === 0) return false
    const lines = (this.#commands + bytes.toString('utf8', 0, length)).split('\n')
    this.#commands = lines.pop() ?? ''
    for (const line of lines) {
      const sent = Value.Parse(SentAdmission, JSON.parse(line))
      const admission = { ...sent, policy: toPolicy(sent.policy) }
      this.#handovers.set(admission.socket, admission)
    }
    return true
  }

  #takeListener(socket: number): void {
    const admission = this.#handovers.get(socket)
    this.#handovers.delete(socket)
    const listener = receiveDescriptor(socket)
    close(socket)
    if (listener === undefined || !admission) return
    const { key, folder } = admission
    this.#sessions.set(listener, new ConfinedSession(admission, (told) => this.report({ key, folder, ...told })))
  }

  #answer(listener: number): void {
    const session = this.#sessions.get(listener)
    const notification = receive(listener)
    if (!session || !notification) return
    const answer = this.#decide(session, listener, notification)
    if (answer) respond(listener, notification, answer)
  }

  /** Milliseconds until a connection that waits is due; undefined while none waits. */
  #untilNext(): number | undefined {
    if (this.#delayed.length === 0) return undefined
    return Math.max(0, Math.min(...this.#delayed.map(({ due }) => due)) - performance.now())
  }

  #resumeDelayed(): void {
    if (this.#delayed.length === 0) return
    const now = performance.now()
    const isDue = ({ due }: Delayed) => due <= now
    const due = this.#delayed.filter(isDue)
    this.#delayed = this.#delayed.filter((each) => !isDue(each))
    for (const { listener, notification } of due) {
      const session = this.#sessions.get(listener)
      const answer = session && this.#decide(session, listener, notification, true)
      if (answer) respond(listener, notification, answer)
    }
  }

  /** An error here must not leave a program in its call indefinitely. */
  #decide(
    session: ConfinedSession,
    listener: number,
    notification: Notification,
    hasWaited = false,
  ): Answer | undefined {
    const name = NAMES.get(notification.call) ?? ''
    try {
      if (name === 'listen') return listen(session, notification)
      if (isPriorityCall(name) || isSignalCall(name)) return touchProcess(session, notification, name)
      if (name !== 'connect') return name === '' ? { errno: ENOSYS } : changeMode(session, notification, name)
      const done = connect(session, notification, listener, hasWaited)
      if (typeof done !== 'string' && 'wait' in done) {
        this.#delayed.push({ listener, notification, due: performance.now() + done.wait })
        return undefined
      }
      if (typeof done === 'string' || !('connecting' in done)) return done
      this.#connecting.set(done.connecting.descriptor, { listener, notification, connecting: done.connecting })
      return undefined
    } catch {
      return { errno: EIO }
    }
  }

  #finishConnecting(descriptor: number): void {
    const waiting = this.#connecting.get(descriptor)
    this.#connecting.delete(descriptor)
    if (waiting) respond(waiting.listener, waiting.notification, waiting.connecting.finish())
  }

  /** All of its programs are over. */
  #forget(listener: number): void {
    this.#sessions.get(listener)?.flush()
    this.#sessions.delete(listener)
    this.#delayed = this.#delayed.filter((each) => each.listener !== listener)
    for (const [descriptor, waiting] of this.#connecting) {
      if (waiting.listener !== listener) continue
      this.#connecting.delete(descriptor)
      waiting.connecting.abandon()
    }
    close(listener)
  }
}

const EPERM = 1

/**
 * A signal or a priority for a process: only within the session. The arguments are numbers, which cannot change after
 * they were looked at, so the kernel makes the call itself.
 */
function touchProcess(session: ConfinedSession, { args, thread }: Notification, name: string): Answer {
  const target = Number(BigInt.asIntN(32, targetOf(name, args)))
  const own = target === processOf(thread) || target === thread
  if (own || (target > 0 && session.isMember(target))) return 'continue'
  if (target === 0) return 'continue'
  session.deny(name, target < 0 ? `process group ${-target}` : `process ${target}`)
  return { errno: EPERM }
}

/** Index of the target argument, if it is not the first: a type or a descriptor precedes it. */
const TARGETS: Readonly<Record<string, number | undefined>> = { setpriority: 1, ioprio_set: 1, fcntl: 2 }

const targetOf = (name: string, args: readonly bigint[]): bigint => args[TARGETS[name] ?? 0] ?? 0n

const READABLE = 1
const WRITABLE = 4
const GONE = 8 | 16 | 32

/** Event on a descriptor. */
interface Readiness {
  descriptor: number
  ready: boolean
  gone: boolean
}

/**
 * Waits until something happens to one of the descriptors, or so many milliseconds; indefinitely without a number of
 * them.
 */
function waitFor(reading: readonly number[], writing: readonly number[], timeout?: number): Readiness[] {
  const all = [...reading.map((fd) => [fd, READABLE] as const), ...writing.map((fd) => [fd, WRITABLE] as const)]
  const table = Buffer.alloc(all.length * 8)
  for (const [n, [descriptor, events]] of all.entries()) {
    table.writeInt32LE(descriptor, n * 8)
    table.writeInt16LE(events, n * 8 + 4)
  }
  const time = timeout === undefined ? 0 : timespec(timeout)
  syscall(callNumber('ppoll'), table, all.length, time, 0, 8)
  return all.flatMap(([descriptor, events], n) => {
    const seen = table.readInt16LE(n * 8 + 6)
    return seen === 0 ? [] : [{ descriptor, ready: (seen & events) !== 0, gone: (seen & GONE) !== 0 }]
  })
}

function timespec(ms: number): Uint8Array {
  const nanoseconds = BigInt(Math.max(0, Math.ceil(ms * 1e6)))
  return new Uint8Array(new BigInt64Array([nanoseconds / 1_000_000_000n, nanoseconds % 1_000_000_000n]).buffer)
}

const [ESRCH, EADDRINUSE] = [3, 98]
const MAX_ADDRESS_BYTES = 128
const SHUT_BOTH = 2

/**
 * Has a socket of a confined program listen, and remembers it: the session may connect to what it listens on. Where gc
 * itself is looked for it never does: who took a port of gc while that is away would be shown the tokens of others.
 * Where a container forbids to take sockets over the kernel makes the call; one that is put in the place of this one is
 * not remembered.
 */
function listen(session: ConfinedSession, { thread, args: [number = 0n, backlog = 0n] }: Notification): Answer {
  const own = Number(number & 0xffff_ffffn)
  const pid = processOf(thread)
  if (pid === undefined) return { errno: ESRCH }
  const taken = takeDescriptor(pid, own)
  if ('errno' in taken) {
    if (!isForbidden(taken.errno)) return taken
    remember(session, socketInode(thread, own))
    return 'continue'
  }
  try {
    return listenAt(session, taken.descriptor, Number(BigInt.asIntN(32, backlog)))
  } finally {
    close(taken.descriptor)
  }
}

/** The program can bind the socket until it listens, so that it is looked at before and after. */
function listenAt(session: ConfinedSession, socket: number, backlog: number): Answer {
  if (isRefused(session, socket)) return { errno: EADDRINUSE }
  remember(session, socketInode('self', socket))
  const { value, errno } = syscall(callNumber('listen'), socket, backlog)
  if (value !== 0) return { errno }
  if (!isRefused(session, socket)) return { value: 0 }
  syscall(callNumber('shutdown'), socket, SHUT_BOTH)
  return { errno: EADDRINUSE }
}

function isRefused(session: ConfinedSession, socket: number): boolean {
  const bytes = Buffer.alloc(MAX_ADDRESS_BYTES)
  const size = new Uint8Array(new Uint32Array([bytes.length]).buffer)
  if (syscall(callNumber('getsockname'), socket, bytes, size).value !== 0) return false
  const own = parseSocketAddress(bytes)
  if (own.kind !== 'tcp' || !session.isReserved(own.port)) return false
  session.deny('listen', showAddress(own.address, own.port))
  return true
}

function remember(session: ConfinedSession, inode: string | undefined): void {
  if (inode !== undefined) session.addListener(inode)
}
