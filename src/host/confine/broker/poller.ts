import { syscall } from '../libc.ts'
import { callNumber } from '../system-calls.ts'

const READABLE = 1
const WRITABLE = 4
const GONE = 8 | 16 | 32

/** What happened to a descriptor. */
export interface Readiness {
  descriptor: number
  ready: boolean
  gone: boolean
}

/** Waits until something happens to one of the descriptors, or so many milliseconds; for ever without a number of them. */
export function waitFor(reading: readonly number[], writing: readonly number[], timeout?: number): Readiness[] {
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
