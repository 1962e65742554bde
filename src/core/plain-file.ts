import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** A pipe keeps no one waiting. */
const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
const NO_LINK = constants.O_NOFOLLOW ?? 0

/**
 * Content of a small file that others may have put there; undefined for missing or larger files, links, pipes and
 * devices.
 */
export function readPlainFile(path: string, maxBytes: number): Buffer | undefined {
  try {
    return readAtOnce(path, maxBytes, NO_LINK)
  } catch {
    return undefined
  }
}

/** Content of a small file, following links; throws the system's error, or that it is not a file or too large. */
export const readSmallFile = (path: string, maxBytes: number): Buffer => readAtOnce(path, maxBytes, 0)

function readAtOnce(path: string, maxBytes: number, flags: number): Buffer {
  const file = openSync(path, AT_ONCE | flags)
  try {
    const stats = fstatSync(file)
    if (!stats.isFile()) throw new RangeError('is not a file')
    if (stats.size > maxBytes) throw new RangeError(`is larger than ${maxBytes / 1024 / 1024} MB`)
    const bytes = Buffer.alloc(stats.size)
    return bytes.subarray(0, readWhole(file, bytes))
  } finally {
    closeSync(file)
  }
}

/** Fills bytes from the beginning of a file, as far as it goes; answers how many there are. */
function readWhole(file: number, bytes: Buffer): number {
  let length = 0
  while (length < bytes.length) {
    const read = readSync(file, bytes, length, bytes.length - length, length)
    if (read === 0) return length
    length += read
  }
  return length
}
