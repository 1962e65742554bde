import { syscall } from '../../../core/libc.ts'
import { callNumber } from '../system-calls.ts'

/** Requests of `linux/seccomp.h`, with the sizes of what they carry. */
const RECEIVE = 0xc050_2100
const SEND = 0xc018_2101
const IS_VALID = 0x4008_2102
const ADD_DESCRIPTOR = 0x4018_2103
const NOTIFICATION_BYTES = 80
const RESPONSE_BYTES = 24
const CONTINUE = 1
/** Puts the descriptor in the place of one that the program has. */
const IN_PLACE = 1

/** A system call that waits for the host's answer. */
export interface Notification {
  id: bigint
  /** The thread that made it. */
  thread: number
  call: number
  args: readonly bigint[]
}

/** Response of the host: let the kernel perform the call, or return this result. */
export type Answer = 'continue' | { errno: number } | { value: number }

/** Takes the next call that waits; undefined when it was given up before it could be read. */
export function receive(listener: number): Notification | undefined {
  const bytes = Buffer.alloc(NOTIFICATION_BYTES)
  if (syscall(callNumber('ioctl'), listener, RECEIVE, bytes).value !== 0) return undefined
  return {
    id: bytes.readBigUInt64LE(0),
    thread: bytes.readUInt32LE(8),
    call: bytes.readInt32LE(16),
    args: Array.from({ length: 6 }, (_, n) => bytes.readBigUInt64LE(32 + 8 * n)),
  }
}

/** True if a call still waits: only then what was read of its process belongs to it, and not to a later one. */
export function isWaiting(listener: number, { id }: Notification): boolean {
  return syscall(callNumber('ioctl'), listener, IS_VALID, new Uint8Array(new BigUint64Array([id]).buffer)).value === 0
}

/** Puts a descriptor of this process in the place of one of a program whose call waits; answers an errno, 0 when it is done. */
export function replaceDescriptor(
  listener: number,
  { id }: Notification,
  replacement: { own: number; theirs: number; flags: number },
): number {
  const bytes = Buffer.alloc(RESPONSE_BYTES)
  bytes.writeBigUInt64LE(id, 0)
  bytes.writeUInt32LE(IN_PLACE, 8)
  bytes.writeUInt32LE(replacement.own, 12)
  bytes.writeUInt32LE(replacement.theirs, 16)
  bytes.writeUInt32LE(replacement.flags, 20)
  const { value, errno } = syscall(callNumber('ioctl'), listener, ADD_DESCRIPTOR, bytes)
  return value < 0 ? errno : 0
}

export function respond(listener: number, { id }: Notification, answer: Answer): void {
  const bytes = Buffer.alloc(RESPONSE_BYTES)
  bytes.writeBigUInt64LE(id, 0)
  if (answer === 'continue') bytes.writeUInt32LE(CONTINUE, 20)
  else if ('errno' in answer) bytes.writeInt32LE(-answer.errno, 16)
  else bytes.writeBigInt64LE(BigInt(answer.value), 8)
  syscall(callNumber('ioctl'), listener, SEND, bytes)
}
