import { dlopen, type FFIFunction, FFIType, type Library, ptr, read } from 'bun:ffi'

const NAMES = ['libc.so.6', `libc.musl-${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}.so.1`]

const LONG = FFIType.i64_fast

const SYMBOLS = {
  syscall: { args: [LONG, LONG, LONG, LONG, LONG, LONG, LONG], returns: LONG },
  signal: { args: ['int', LONG], returns: LONG },
  __errno_location: { args: [], returns: 'ptr' },
} as const

/** Functions of the C library of this system, by the names it has on Linux; undefined where neither has them. */
export function openLibc<Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>['symbols'] | undefined {
  for (const name of NAMES) {
    try {
      return dlopen(name, functions).symbols
    } catch {
      // Tries the next name.
    }
  }
  return undefined
}

const load = () => openLibc(SYMBOLS)

let loaded: ReturnType<typeof load>

function libc(): NonNullable<ReturnType<typeof load>> {
  loaded ??= load()
  if (!loaded) throw new Error('gc found no C library that it can call; it knows glibc and musl')
  return loaded
}

/** Argument of a system call: a number, the address of bytes, or a null-terminated text. */
export type Argument = number | Uint8Array | string

/** Result of a system call: `value` is -1 on failure, with the reason in `errno`. */
export interface Result {
  value: number
  errno: number
}

/** Calls the kernel directly. Bytes that are passed must not be moved, which the caller's reference ensures. */
export function syscall(number: number, ...args: readonly Argument[]): Result {
  const { syscall: call, __errno_location: location } = libc()
  const held = args.map((arg) => (typeof arg === 'string' ? Buffer.from(`${arg}\0`) : arg))
  const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = held.map((arg) => (typeof arg === 'number' ? arg : addressOf(arg)))
  const value = Number(call(number, a, b, c, d, e, f))
  if (value !== -1) return { value, errno: 0 }
  const errno = location()
  return { value, errno: errno === null ? 0 : read.i32(errno, 0) }
}

/** Gives a signal its default effect again. */
export function resetSignal(signal: number): void {
  libc().signal(signal, 0)
}

/** Address of bytes in memory; empty ones have none. */
export function addressOf(bytes: Uint8Array): number {
  return bytes.length === 0 ? 0 : ptr(bytes)
}
