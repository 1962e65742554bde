import { syscall } from '../../../core/libc.ts'
import { answerToQuestion } from '../outer.ts'
import { callNumber } from '../system-calls.ts'
import type { ConfinedSession } from './confined-session.ts'
import { type Answer, isWaiting, type Notification } from './notification.ts'
import { close, openFor, pathOf, readMemory } from './process-access.ts'
import { type ProgramSocket, takeSocket } from './program-socket.ts'
import {
  type Destination,
  isLoopback,
  isOfMachine,
  nameLoopback,
  parseSocketAddress,
  showAddress,
} from './socket-address.ts'

const [EPERM, EFAULT, EACCES, EINPROGRESS, ECONNREFUSED] = [1, 14, 13, 115, 111]
const AT_FDCWD = -100
const MAX_ADDRESS_BYTES = 128
const UNIX = 1
const [F_GETFL, F_SETFL] = [3, 4]
const O_NONBLOCK = 0o4000
const [SOL_SOCKET, SO_ERROR] = [1, 4]

/** A connection under way: the program waits in its call until the socket can be written to. */
export interface Connecting {
  descriptor: number
  finish(): Answer
  abandon(): void
}

/**
 * Connects a socket of a confined program for it. The kernel must not do it: the program could change the address
 * after it was looked at.
 */
export function connect(
  session: ConfinedSession,
  call: Notification,
  listener: number,
  hasWaited = false,
): Answer | { connecting: Connecting } | { wait: number } {
  const [descriptor = 0n, pointer = 0n, size = 0n] = call.args
  const length = Number(size & 0xffff_ffffn)
  const bytes = length <= MAX_ADDRESS_BYTES ? readMemory(call.thread, pointer, length) : undefined
  if (!bytes) return { errno: EFAULT }
  nameLoopback(bytes)
  const destination = parseSocketAddress(bytes)
  const asked = destination.kind === 'abstract' && answerToQuestion(destination.name, session.policy)
  if (asked) return asked
  const isLocal = destination.kind === 'tcp' && isLoopback(destination.address)
  const wait = isLocal && !hasWaited ? session.waitBefore(destination.port) : 0
  if (wait > 0) return { wait }
  const socket = takeSocket(listener, call, Number(descriptor & 0xffff_ffffn))
  if ('errno' in socket) return socket
  const refused = isWaiting(listener, call) ? refusal(session, destination) : EPERM
  if (refused === undefined && destination.kind !== 'path') return begin(socket, bytes)
  return socket.settle(
    destination.kind === 'path'
      ? connectPath(session, call.thread, socket.descriptor, destination.path)
      : { errno: refused ?? EPERM },
  )
}

function refusal(session: ConfinedSession, to: Destination): number | undefined {
  if (to.kind === 'nothing' || to.kind === 'path') return undefined
  if (to.kind === 'abstract') {
    session.deny('connect', `the abstract socket ${to.name}`)
    return EACCES
  }
  if (to.kind === 'other') return EACCES
  const { policy } = session
  const { address } = to
  if (isLoopback(address) ? policy.ports.includes(to.port) || session.listensAt(address, to.port) : false)
    return undefined
  if (!isLoopback(address) && policy.network === 'open' && !isOfMachine(address)) return undefined
  session.deny('connect', showAddress(address, to.port))
  // A port that is not the session's looks as if nobody listened there.
  return isLoopback(address) ? ECONNREFUSED : EACCES
}

/** Connects without waiting, whatever the socket's own mode is; the mode is put back before the program continues. */
function begin({ descriptor, settle }: ProgramSocket, address: Uint8Array): Answer | { connecting: Connecting } {
  const flags = syscall(callNumber('fcntl'), descriptor, F_GETFL).value
  const waits = (flags & O_NONBLOCK) === 0
  if (waits) syscall(callNumber('fcntl'), descriptor, F_SETFL, flags | O_NONBLOCK)
  const { value, errno } = syscall(callNumber('connect'), descriptor, address, address.length)
  const end = (answer: Answer): Answer => {
    if (waits) syscall(callNumber('fcntl'), descriptor, F_SETFL, flags)
    return settle(answer)
  }
  if (value === 0) return end({ value: 0 })
  if (errno !== EINPROGRESS || !waits) return end({ errno })
  const abandon = () => {
    end({ errno: EPERM })
  }
  return { connecting: { descriptor, finish: () => end(outcome(descriptor)), abandon } }
}

function outcome(descriptor: number): Answer {
  const option = Buffer.alloc(4)
  const size = new Uint8Array(new Uint32Array([4]).buffer)
  syscall(callNumber('getsockopt'), descriptor, SOL_SOCKET, SO_ERROR, option, size)
  const errno = option.readInt32LE(0)
  return errno === 0 ? { value: 0 } : { errno }
}

/** Sockets of programs outside are files that the session may not change. */
function connectPath(session: ConfinedSession, thread: number, socket: number, path: string): Answer {
  const opened = openFor(thread, AT_FDCWD, path, { follow: true })
  if ('errno' in opened) return opened
  try {
    const real = pathOf(opened.descriptor)
    if (real === undefined || !session.mayChange(real)) {
      session.deny('connect', real ?? path)
      return { errno: EACCES }
    }
    const flags = syscall(callNumber('fcntl'), socket, F_GETFL).value
    const name = Buffer.from(`/proc/self/fd/${opened.descriptor}\0`)
    const address = Buffer.concat([Buffer.from([UNIX, 0]), name])
    // A program that does not answer must not hold up the others.
    syscall(callNumber('fcntl'), socket, F_SETFL, flags | O_NONBLOCK)
    const { value, errno } = syscall(callNumber('connect'), socket, address, address.length)
    syscall(callNumber('fcntl'), socket, F_SETFL, flags)
    return value === 0 ? { value: 0 } : { errno }
  } finally {
    close(opened.descriptor)
  }
}
