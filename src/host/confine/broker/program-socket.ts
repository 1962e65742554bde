import { readFileSync, readlinkSync } from 'node:fs'
import { syscall } from '../../../core/libc.ts'
import { callNumber } from '../system-calls.ts'
import { type Answer, type Notification, replaceDescriptor } from './notification.ts'
import { close, descriptorPath, processOf, takeDescriptor } from './process-access.ts'

const [EPERM, ESRCH, EBADF, ENOSYS, ENOTSOCK, EINPROGRESS] = [1, 3, 9, 38, 88, 115]
const [UNIX, INET, INET6] = [1, 2, 10]
const [STREAM, DATAGRAM] = [1, 2]
const O_NONBLOCK = 0o4000
const O_CLOEXEC = 0o2000000
/** Kernel names of the socket protocols that sandboxed programs use. */
const KINDS: Readonly<Record<string, { family: number; type: number } | undefined>> = {
  TCP: { family: INET, type: STREAM },
  TCPv6: { family: INET6, type: STREAM },
  UDP: { family: INET, type: DATAGRAM },
  UDPv6: { family: INET6, type: DATAGRAM },
  UNIX: { family: UNIX, type: STREAM },
  'UNIX-STREAM': { family: UNIX, type: STREAM },
}
const MAX_NAME_BYTES = 64

/** A socket that the session host connects for a confined program. */
export interface ProgramSocket {
  descriptor: number
  /** Lets go of it once the call has its answer. */
  settle(answer: Answer): Answer
}

/**
 * Takes a socket of a program whose call waits. Where a container forbids that, it is a new one of the same kind, which takes
 * the place of the program's own when it is connected; options that were set on that are lost.
 */
export function takeSocket(listener: number, call: Notification, number: number): ProgramSocket | { errno: number } {
  const pid = processOf(call.thread)
  if (pid === undefined) return { errno: ESRCH }
  const taken = takeDescriptor(pid, number)
  if ('errno' in taken) return isForbidden(taken.errno) ? makeSocket(listener, call, number) : taken
  const settle = (answer: Answer) => {
    close(taken.descriptor)
    return answer
  }
  return { descriptor: taken.descriptor, settle }
}

export const isForbidden = (errno: number): boolean => errno === EPERM || errno === ENOSYS

function makeSocket(listener: number, call: Notification, number: number): ProgramSocket | { errno: number } {
  const flags = flagsOf(call.thread, number)
  if (flags === undefined) return { errno: EBADF }
  const kind = KINDS[protocolOf(call.thread, number)]
  if (!kind) return { errno: ENOTSOCK }
  const mode = (flags & O_NONBLOCK) | O_CLOEXEC
  const { value: descriptor, errno } = syscall(callNumber('socket'), kind.family, kind.type | mode, 0)
  if (descriptor < 0) return { errno }
  const settle = (answer: Answer): Answer => {
    const replacement = { own: descriptor, theirs: number, flags: flags & O_CLOEXEC }
    const failed = isUnderWay(answer) ? replaceDescriptor(listener, call, replacement) : 0
    close(descriptor)
    return failed === 0 ? answer : { errno: failed }
  }
  return { descriptor, settle }
}

const isUnderWay = (answer: Answer): boolean =>
  answer !== 'continue' && (!('errno' in answer) || answer.errno === EINPROGRESS)

/** The number of the file that a socket of a program is; undefined for what is not a socket. */
export function socketInode(thread: number | 'self', descriptor: number): string | undefined {
  try {
    return /^socket:\[(\d+)\]$/.exec(readlinkSync(descriptorPath(thread, descriptor)))?.[1]
  } catch {
    return undefined
  }
}

function protocolOf(thread: number, descriptor: number): string {
  const name = Buffer.alloc(MAX_NAME_BYTES)
  const path = descriptorPath(thread, descriptor)
  const { value } = syscall(callNumber('getxattr'), path, 'system.sockprotoname', name, name.length)
  return value > 0 ? name.toString('utf8', 0, value).replace(/\0+$/, '') : ''
}

/** Open flags of a program's descriptor; undefined if it is not open. */
function flagsOf(thread: number, descriptor: number): number | undefined {
  try {
    const flags = /^flags:\s*([0-7]+)$/m.exec(readFileSync(`/proc/${thread}/fdinfo/${descriptor}`, 'utf8'))?.[1]
    return flags === undefined ? undefined : Number.parseInt(flags, 8)
  } catch {
    return undefined
  }
}
