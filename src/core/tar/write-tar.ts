import { constants } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { BLOCK_BYTES, formatHeader, paddedSize } from './header.ts'

/** A file to write into a tar file. */
export interface TarSource {
  /** Its name in the tar file. */
  readonly name: string
  readonly path: string
}

const CHUNK_BYTES = 256 * 1024
/** A link that took the place of a file is not followed. */
const READ_FILE = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/** A tar file of these files, in their order. One that vanished is left out; one that changes is cut or filled up. */
export async function* writeTar(sources: Iterable<TarSource>): AsyncGenerator<Uint8Array> {
  for (const { name, path } of sources) {
    const file = await open(path, READ_FILE).catch(() => undefined)
    if (!file) continue
    try {
      yield* writeFile(name, file)
    } finally {
      await file.close()
    }
  }
  yield new Uint8Array(2 * BLOCK_BYTES)
}

async function* writeFile(name: string, file: FileHandle): AsyncGenerator<Uint8Array> {
  const stats = await file.stat()
  if (!stats.isFile()) return
  const { size, mode, mtimeMs } = stats
  yield formatHeader({ name, size, mode: mode & 0o777, type: '0' }, mtimeMs)
  let left = size
  while (left > 0) {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(Math.min(left, CHUNK_BYTES)), 0)
    if (bytesRead === 0) break
    left -= bytesRead
    yield buffer.subarray(0, bytesRead)
  }
  yield* zeros(left + paddedSize(size) - size)
}

function* zeros(length: number): Generator<Uint8Array> {
  for (let left = length; left > 0; left -= CHUNK_BYTES) yield new Uint8Array(Math.min(left, CHUNK_BYTES))
}
