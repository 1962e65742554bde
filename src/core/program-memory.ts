import { closeSync, openSync, readFileSync, readSync } from 'node:fs'
import type { Deadlines } from './deadlines.ts'
import { openLibc } from './libc.ts'

/** After how many milliseconds the code that only starting needed is old enough for the collector to drop. */
const OLD_MS = 30_000

/** By when the collector has run after a burst, in milliseconds. */
const SETTLED_MS = 15_000

/** `MADV_DONTNEED` of madvise(2). */
const DONT_NEED = 4
/** Size of an entry of /proc/self/pagemap (proc(5)), one for each page. */
const ENTRY_BYTES = 8
/** Bits of an entry: the page is in memory, is in swap, and is one of a file. */
const [MAPPED, SWAPPED, OF_FILE] = [1n << 63n, 1n << 62n, 1n << 61n]

/** Addresses, permissions, offset and path of a mapping of a file in /proc/self/smaps (proc(5)). */
const MAPPING = /^([0-9a-f]+)-([0-9a-f]+) (\S{4}) ([0-9a-f]+) \S+ [1-9]\d* +(.+)$/m

const openMadvise = () => openLibc({ madvise: { args: ['u64', 'u64', 'int'], returns: 'int' } })

let opened: ReturnType<typeof openMadvise>

/** The second release that is planned. */
let again: NodeJS.Timeout | undefined

/** A range of addresses, or of bytes of a file. */
interface Range {
  readonly from: number
  readonly to: number
}

interface Mapping extends Range {
  readonly permissions: string
  /** Position in the file at which it begins. */
  readonly offset: number
  readonly path: string
  /** Size of its pages in bytes. */
  readonly page: number
  /** True if no page of it is the process's own. */
  readonly isUnwritten: boolean
}

/**
 * Collects and releases once what starting took: a process in which nothing happens allocates too little to do that
 * automatically.
 */
export function releaseAfterStart(deadlines: Deadlines): void {
  deadlines.after(OLD_MS, () => {
    Bun.gc(true)
    releaseProgramPages()
  })
}

/**
 * Releases the pages of the program and its libraries that this process has mapped and has not written: code, constants and
 * compiled modules. Whatever it uses again is mapped again from the cache of the kernel. Starting alone maps most of it.
 * Releases them a second time soon after, since the collector maps some of them again.
 */
export function releaseProgramPages(): void {
  if (process.platform !== 'linux') return
  releaseNow()
  clearTimeout(again)
  again = setTimeout(releaseNow, SETTLED_MS)
  again.unref()
}

function releaseNow(): void {
  try {
    release()
  } catch {
    // Some sandboxes lack one of these files; there the pages stay.
  }
}

function release(): void {
  opened ??= openMadvise()
  const mappings = readMappings()
  const constant = mappings.filter(({ permissions, isUnwritten }) => /^r-[x-]p$/.test(permissions) && isUnwritten)
  for (const { from, to } of [...constant, ...compiledModules(mappings)]) opened?.madvise(from, to - from, DONT_NEED)
}

/** Mappings of files, in the order of their addresses. */
function readMappings(): Mapping[] {
  const texts = readFileSync('/proc/self/smaps', 'utf8').split(/^VmFlags:.*\n/m)
  return texts.flatMap((text) => {
    const [, from = '', to = '', permissions = '', offset = '', path = ''] = MAPPING.exec(text) ?? []
    if (path === '') return []
    const kilobytes = (name: string) => Number(new RegExp(`^${name}: +(\\d+) kB$`, 'm').exec(text)?.[1])
    return [
      {
        ...{ from: Number.parseInt(from, 16), to: Number.parseInt(to, 16), offset: Number.parseInt(offset, 16) },
        ...{ permissions, path, page: kilobytes('KernelPageSize') * 1_024, isUnwritten: kilobytes('Anonymous') === 0 },
      },
    ]
  })
}

/**
 * Whole pages of the modules that Bun compiled into the program, if all of them are still those of the file: Bun maps them
 * beside its variables, as if they could be written, and only reads them.
 */
function compiledModules(mappings: readonly Mapping[]): Range[] {
  const bytes = moduleBytes()
  const own = mappings.filter(({ path }) => path === process.execPath)
  const mapping = own.find(({ from, to, offset }) => bytes && offset <= bytes.from && bytes.to <= offset + to - from)
  if (!bytes || !mapping) return []
  const { page } = mapping
  const shift = mapping.from - mapping.offset
  const from = Math.ceil((bytes.from + shift) / page) * page
  const to = Math.floor((bytes.to + shift) / page) * page
  return from < to && isOfFile({ from, to }, page) ? [{ from, to }] : []
}

/** True if no page of a range was written by this process. */
function isOfFile({ from, to }: Range, page: number): boolean {
  const count = (to - from) / page
  const bytes = read('/proc/self/pagemap', (from / page) * ENTRY_BYTES, count * ENTRY_BYTES)
  const entries = new BigUint64Array(bytes.buffer, 0, Math.floor(bytes.length / ENTRY_BYTES))
  const isWritten = (entry: bigint) => (entry & SWAPPED) !== 0n || ((entry & MAPPED) !== 0n && (entry & OF_FILE) === 0n)
  return entries.length === count && !entries.some(isWritten)
}

/** The section `.bun` of this program's file, by the headers of elf(5); undefined in a program that is not compiled. */
function moduleBytes(): Range | undefined {
  const viewOf = (from: number, size: number) => new DataView(read('/proc/self/exe', from, size).buffer)
  const header = viewOf(0, 64)
  const [size, count, last] = [header.getUint16(0x3a, true), header.getUint16(0x3c, true), header.getUint16(0x3e, true)]
  const sections = viewOf(Number(header.getBigUint64(0x28, true)), size * count)
  const rangeOf = (n: number): Range => {
    const from = Number(sections.getBigUint64(n * size + 0x18, true))
    return { from, to: from + Number(sections.getBigUint64(n * size + 0x20, true)) }
  }
  const names = rangeOf(last)
  const text = Buffer.from(read('/proc/self/exe', names.from, names.to - names.from)).toString('latin1')
  for (let n = 0; n < count; n++) {
    if (text.startsWith('.bun\0', sections.getUint32(n * size, true))) return rangeOf(n)
  }
  return undefined
}

/** Bytes of a file from a position on, as many of them as there are. */
function read(path: string, position: number, size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size)
  const file = openSync(path, 'r')
  try {
    return bytes.subarray(0, readSync(file, bytes, 0, size, position))
  } finally {
    closeSync(file)
  }
}
