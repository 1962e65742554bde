import { statSync } from 'node:fs'
import { syscall } from '../libc.ts'
import { callNumber } from '../system-calls.ts'
import type { ConfinedSession } from './confined-session.ts'
import type { Answer, Notification } from './notification.ts'
import { close, openFor, pathOf, processOf, readMemory, takeDescriptor } from './process-access.ts'
import {
  type Destination,
  isLinkLocal,
  isLoopback,
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
const [IPPROTO_IPV6, IPV6_V6ONLY] = [41, 26]

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
  stillWaits: () => boolean,
): Answer | { connecting: Connecting } {
  const [descriptor = 0n, pointer = 0n, size = 0n] = call.args
  const length = Number(size & 0xffff_ffffn)
  const pid = processOf(call.thread)
  const bytes = length <= MAX_ADDRESS_BYTES ? readMemory(call.thread, pointer, length) : undefined
  if (!bytes || pid === undefined) return { errno: EFAULT }
  const taken = takeDescriptor(pid, Number(descriptor & 0xffff_ffffn))
  if ('errno' in taken) return taken
  nameLoopback(bytes)
  const destination = parseSocketAddress(bytes)
  const refused = stillWaits() ? refusal(session, destination) : EPERM
  if (refused === undefined && destination.kind !== 'path') return begin(taken.descriptor, bytes)
  const answer =
    destination.kind === 'path'
      ? connectPath(session, call.thread, taken.descriptor, destination.path)
      : { errno: refused ?? EPERM }
  close(taken.descriptor)
  return answer
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
  if (!isLoopback(address) && policy.network === 'open' && !isLinkLocal(address)) return undefined
  session.deny('connect', showAddress(address, to.port))
  // A port that is not the session's looks as if nobody listened there.
  return isLoopback(address) ? ECONNREFUSED : EACCES
}

/** Connects without waiting, whatever the socket's own mode is; the mode is put back before the program goes on. */
function begin(descriptor: number, address: Uint8Array): Answer | { connecting: Connecting } {
  const flags = syscall(callNumber('fcntl'), descriptor, F_GETFL).value
  const waits = (flags & O_NONBLOCK) === 0
  if (waits) syscall(callNumber('fcntl'), descriptor, F_SETFL, flags | O_NONBLOCK)
  const { value, errno } = syscall(callNumber('connect'), descriptor, address, address.length)
  const end = (answer: Answer): Answer => {
    if (waits) syscall(callNumber('fcntl'), descriptor, F_SETFL, flags)
    close(descriptor)
    return answer
  }
  if (value === 0) return end({ value: 0 })
  if (errno !== EINPROGRESS || !waits) return end({ errno })
  const abandon = () => {
    end({ errno: EPERM })
  }
  return { connecting: { descriptor, finish: () => end(outcome(descriptor)), abandon } }
}

function outcome(descriptor: number): Answer {
  const errno = socketOption(descriptor, SOL_SOCKET, SO_ERROR)
  return errno === 0 ? { value: 0 } : { errno }
}

/** An option that is a number; 0 where a socket has no such option. */
function socketOption(descriptor: number, level: number, name: number): number {
  const option = Buffer.alloc(4)
  const size = new Uint8Array(new Uint32Array([4]).buffer)
  syscall(callNumber('getsockopt'), descriptor, level, name, option, size)
  return option.readInt32LE(0)
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

/** Lets a socket listen, and remembers it: the session may connect to what it listens on. */
export function listen(session: ConfinedSession, call: Notification): Answer {
  const [descriptor = 0n, backlog = 0n] = call.args
  const pid = processOf(call.thread)
  if (pid === undefined) return { errno: EFAULT }
  const taken = takeDescriptor(pid, Number(descriptor & 0xffff_ffffn))
  if ('errno' in taken) return taken
  const { value, errno } = syscall(callNumber('listen'), taken.descriptor, Number(backlog & 0xffff_ffffn))
  if (value === 0) {
    const oneVersion = socketOption(taken.descriptor, IPPROTO_IPV6, IPV6_V6ONLY) !== 0
    session.addListener(String(statSync(`/proc/self/fd/${taken.descriptor}`).ino), { oneVersion })
  }
  close(taken.descriptor)
  return value === 0 ? { value: 0 } : { errno }
}
