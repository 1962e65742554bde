import { addressOf, syscall } from '../../core/libc.ts'
import { callNumber } from './system-calls.ts'

const SOL_SOCKET = 1
const SCM_RIGHTS = 1
/** `struct cmsghdr` and one descriptor, rounded up. */
const CONTROL_BYTES = 24
const MSG_DONTWAIT = 0x40
const MSG_CMSG_CLOEXEC = 0x4000_0000

/** Hands a descriptor of this process to the one at the other end of a socket. */
export function sendDescriptor(socket: number, descriptor: number): void {
  const message = new Message()
  message.control.writeBigUInt64LE(20n, 0)
  message.control.writeInt32LE(SOL_SOCKET, 8)
  message.control.writeInt32LE(SCM_RIGHTS, 12)
  message.control.writeInt32LE(descriptor, 16)
  const { value, errno } = syscall(callNumber('sendmsg'), socket, message.header, 0)
  if (value !== 1) throw new Error(`the listener could not be handed to the session host (errno ${errno})`)
}

/** Takes a descriptor that has been handed over; undefined when the other end closed without one. */
export function receiveDescriptor(socket: number): number | undefined {
  const message = new Message()
  const { value } = syscall(callNumber('recvmsg'), socket, message.header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC)
  const came = message.control.readInt32LE(12) === SCM_RIGHTS && message.control.readBigUInt64LE(0) >= 20n
  return value === 1 && came ? message.control.readInt32LE(16) : undefined
}

/** One byte with room for one descriptor: `struct msghdr` and what it points to. */
class Message {
  readonly control = Buffer.alloc(CONTROL_BYTES)
  readonly #byte = Buffer.from('.')
  readonly #vector = new BigUint64Array([BigInt(addressOf(this.#byte)), 1n])
  readonly header = Buffer.alloc(56)

  constructor() {
    this.header.writeBigUInt64LE(BigInt(addressOf(new Uint8Array(this.#vector.buffer))), 16)
    this.header.writeBigUInt64LE(1n, 24)
    this.header.writeBigUInt64LE(BigInt(addressOf(this.control)), 32)
    this.header.writeBigUInt64LE(BigInt(CONTROL_BYTES), 40)
  }
}
