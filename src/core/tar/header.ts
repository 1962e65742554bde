/** A tar file is a row of blocks: a header, then its content filled up to a whole block. */
export const BLOCK_BYTES = 512

const SIZE = { start: 124, length: 12 }
const CHECKSUM = { start: 148, length: 8 }
const TYPE = 156
const MAGIC = 257
const PREFIX = { start: 345, length: 155 }
const NAME_BYTES = 100
const MAX_OCTAL_SIZE = 8 ** 11 - 1

/** Fields of a header. */
export interface TarHeader {
  readonly name: string
  readonly mode: number
  readonly size: number
  /** The type flag: `0` a file, `5` a folder, `2` a symbolic link, and so on. */
  readonly type: string
}

/** Error in a tar file. */
export class TarError extends Error {}

/** Reads a header; undefined for the block of zeros that ends the file. */
export function parseHeader(block: Uint8Array): TarHeader | undefined {
  if (block.every((byte) => byte === 0)) return undefined
  if (readNumber(block, CHECKSUM.start, CHECKSUM.length) !== checksumOf(block)) {
    throw new TarError('a header in it is damaged')
  }
  const isPosix = readText(block, MAGIC, 6) === 'ustar'
  const prefix = isPosix ? readText(block, PREFIX.start, PREFIX.length) : ''
  const name = readText(block, 0, NAME_BYTES)
  return {
    name: prefix ? `${prefix}/${name}` : name,
    mode: readNumber(block, 100, 8),
    size: readNumber(block, SIZE.start, SIZE.length),
    type: String.fromCharCode(block[TYPE] ?? 0).replace('\0', '0'),
  }
}

/** The blocks that announce a file; a long name or a large size takes an extended header before the usual one. */
export function formatHeader({ name, mode, size, type }: TarHeader, mtime: number): Uint8Array {
  const fitsName = Buffer.byteLength(name) <= NAME_BYTES
  if (fitsName && size <= MAX_OCTAL_SIZE) return formatBlock({ name, mode, size, type }, mtime)
  const records = Buffer.from(paxRecord('path', name) + paxRecord('size', String(size)))
  const padded = Buffer.alloc(paddedSize(records.length))
  records.copy(padded)
  const announced = formatBlock({ name: 'extended-header', mode: 0o600, size: records.length, type: 'x' }, mtime)
  const short = { name: shorten(name), mode, size: Math.min(size, MAX_OCTAL_SIZE), type }
  return Buffer.concat([announced, padded, formatBlock(short, mtime)])
}

/** The bytes that content takes in whole blocks. */
export const paddedSize = (size: number): number => Math.ceil(size / BLOCK_BYTES) * BLOCK_BYTES

/** The records of an extended header: `26 path=notes/long-name\n`, one after the other. */
export function parsePaxRecords(bytes: Uint8Array): Map<string, string> {
  const records = new Map<string, string>()
  for (let at = 0; at < bytes.length; ) {
    const space = bytes.indexOf(0x20, at)
    const length = space < 0 ? Number.NaN : Number(decode(bytes.subarray(at, space)))
    const record = decode(bytes.subarray(space + 1, at + length - 1))
    const equals = record.indexOf('=')
    if (!Number.isSafeInteger(length) || length < 5 || at + length > bytes.length || equals < 1) {
      throw new TarError('an extended header in it is damaged')
    }
    records.set(record.slice(0, equals), record.slice(equals + 1))
    at += length
  }
  return records
}

/** Text as tar keeps it: UTF-8, up to the first zero byte. */
export function readText(bytes: Uint8Array, start: number, length: number): string {
  const field = bytes.subarray(start, start + length)
  const end = field.indexOf(0)
  return decode(end < 0 ? field : field.subarray(0, end))
}

function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new TarError('a name in it is not UTF-8 text')
  }
}

/** An octal number, or a binary one whose first bit is set. */
function readNumber(block: Uint8Array, start: number, length: number): number {
  const field = block.subarray(start, start + length)
  const value = (field[0] ?? 0) & 0x80 ? readBinary(field) : readOctal(field)
  if (!Number.isSafeInteger(value) || value < 0) throw new TarError('a number in it is damaged')
  return value
}

function readBinary(field: Uint8Array): number {
  return field.reduce((sum, byte, at) => sum * 256 + (at === 0 ? byte & 0x7f : byte), 0)
}

function readOctal(field: Uint8Array): number {
  const text = Buffer.from(field)
    .toString('latin1')
    .replace(/[\0 ]+$/, '')
    .trimStart()
  if (text === '') return 0
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : Number.NaN
}

function formatBlock({ name, mode, size, type }: TarHeader, mtime: number): Uint8Array {
  const block = Buffer.alloc(BLOCK_BYTES)
  block.write(name, 0, NAME_BYTES)
  block.write(octal(mode, 8), 100)
  block.write(octal(0, 8), 108)
  block.write(octal(0, 8), 116)
  block.write(octal(size, SIZE.length), SIZE.start)
  block.write(octal(Math.max(0, Math.floor(mtime / 1000)), 12), 136)
  block.write(type, TYPE)
  block.write('ustar\x0000', MAGIC)
  block.write(`${octal(checksumOf(block), 7)} `, CHECKSUM.start)
  return block
}

/** The sum of all bytes, with the field of the sum itself read as spaces. */
function checksumOf(block: Uint8Array): number {
  const isOwn = (at: number) => at >= CHECKSUM.start && at < CHECKSUM.start + CHECKSUM.length
  return block.reduce((sum, byte, at) => sum + (isOwn(at) ? 0x20 : byte), 0)
}

const octal = (value: number, length: number): string => `${value.toString(8).padStart(length - 1, '0')}\0`

/** A record begins with its own length, whose digits count as well. */
function paxRecord(key: string, value: string): string {
  const rest = Buffer.byteLength(` ${key}=${value}\n`)
  const length = rest + String(rest + String(rest).length).length
  return `${length} ${key}=${value}\n`
}

/** As much of a name as a header holds; the extended header before it has the whole. */
function shorten(name: string): string {
  let short = name
  while (Buffer.byteLength(short) > NAME_BYTES) short = short.slice(0, -1)
  return short
}
