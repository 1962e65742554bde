import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'

/** A pipe keeps nobody waiting. */
const AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0)
const NO_LINK = constants.O_NOFOLLOW ?? 0

/**
 * What is in a small file that others may have put there: undefined where there is none, or something that is no plain file,
 * as a link, a pipe or a device, or one that is larger.
 */
export function readPlainFile(path: string, maxBytes: number): Buffer | undefined {
  try {
    return readAtOnce(path, maxBytes, NO_LINK)
  } catch {
    return undefined
  }
}

/** What is in a small file, or one that a link leads to; throws what the system says, or that it is no file or larger. */
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
