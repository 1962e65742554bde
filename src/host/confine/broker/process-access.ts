import { readFileSync, readlinkSync } from 'node:fs'
import { addressOf, syscall } from '../../../core/libc.ts'
import { callNumber } from '../system-calls.ts'

const PAGE = 4096
const O_PATH = 0o10000000
const O_NOFOLLOW = process.arch === 'arm64' ? 0o100000 : 0o400000
const O_CLOEXEC = 0o2000000
/** Links of `/proc` stand for what another process holds. */
const RESOLVE_NO_MAGICLINKS = 2
const AT_FDCWD = -100
const [ENOENT, EBADF] = [2, 9]

/** Reads a process's memory; undefined where there is none. */
export function readMemory(pid: number, address: bigint, length: number): Buffer | undefined {
  const bytes = Buffer.alloc(length)
  const local = vector(bytes)
  const remote = new Uint8Array(new BigUint64Array([address, BigInt(length)]).buffer)
  const { value } = syscall(callNumber('process_vm_readv'), pid, local, 1, remote, 1, 0)
  return value === length ? bytes : undefined
}

/** Reads a text up to its end mark, page by page, since the one after it may not exist. */
export function readText(pid: number, address: bigint): string | undefined {
  const parts: Buffer[] = []
  let at = address
  while (at - address < PAGE) {
    const length = PAGE - Number(at % BigInt(PAGE))
    const bytes = readMemory(pid, at, length)
    if (!bytes) return undefined
    const end = bytes.indexOf(0)
    parts.push(end < 0 ? bytes : bytes.subarray(0, end))
    if (end >= 0) return Buffer.concat(parts).toString()
    at += BigInt(length)
  }
  return undefined
}

/** The process that a thread belongs to. */
export function processOf(thread: number): number | undefined {
  try {
    return Number(/^Tgid:\s*(\d+)/m.exec(readFileSync(`/proc/${thread}/status`, 'utf8'))?.[1]) || undefined
  } catch {
    return undefined
  }
}

/** A descriptor of another process as one of this; the caller closes it. */
export function takeDescriptor(pid: number, descriptor: number): { descriptor: number } | { errno: number } {
  const opened = syscall(callNumber('pidfd_open'), pid, 0)
  if (opened.value < 0) return { errno: opened.errno }
  const taken = syscall(callNumber('pidfd_getfd'), opened.value, descriptor, 0)
  close(opened.value)
  return taken.value < 0 ? { errno: taken.errno } : { descriptor: taken.value }
}

/** Opens what a descriptor of another process stands for, without the right to read it; the caller closes it. */
export function openDescriptor(thread: number, descriptor: number): { descriptor: number } | { errno: number } {
  const { value, errno } = openat2(AT_FDCWD, descriptorPath(thread, descriptor), O_PATH, 0)
  if (value >= 0) return { descriptor: value }
  return { errno: errno === ENOENT ? EBADF : errno }
}

/** Path that lists a descriptor of another process. */
export const descriptorPath = (thread: number | 'self', descriptor: number): string =>
  `/proc/${thread}/fd/${descriptor}`

/** Opens what a path of another process names, without the right to read it; the caller closes it. */
export function openFor(
  thread: number,
  folder: number,
  path: string,
  { follow }: { follow: boolean },
): { descriptor: number } | { errno: number } {
  const base = path.startsWith('/') ? '/' : folder === AT_FDCWD ? `/proc/${thread}/cwd` : descriptorPath(thread, folder)
  const from = openat2(AT_FDCWD, base, O_PATH, 0)
  if (from.value < 0) return { errno: from.errno }
  const relative = path.replace(/^\/+/, '') || '.'
  const opened = openat2(from.value, relative, O_PATH | (follow ? 0 : O_NOFOLLOW), RESOLVE_NO_MAGICLINKS)
  close(from.value)
  return opened.value < 0 ? { errno: opened.errno } : { descriptor: opened.value }
}

/** Current path of the file behind a descriptor of this process. */
export function pathOf(descriptor: number): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${descriptor}`)
  } catch {
    return undefined
  }
}

export function close(descriptor: number): void {
  syscall(callNumber('close'), descriptor)
}

function openat2(folder: number, path: string, flags: number, resolve: number) {
  const how = new Uint8Array(new BigUint64Array([BigInt(flags | O_CLOEXEC), 0n, BigInt(resolve)]).buffer)
  return syscall(callNumber('openat2'), folder, path, how, how.length)
}

function vector(bytes: Uint8Array): Uint8Array {
  return new Uint8Array(new BigUint64Array([BigInt(addressOf(bytes)), BigInt(bytes.length)]).buffer)
}
