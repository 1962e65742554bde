import { watch } from 'node:fs'
import { open, stat } from 'node:fs/promises'
import { basename, dirname } from 'node:path'

/** As much of the end of a log is looked at for its last lines. */
const MAX_TAIL_BYTES = 256 * 1024
const MAX_CHUNK_BYTES = 64 * 1024

/** The last lines of a log, and where it ended then; empty when there is none. */
export async function readLog(file: string, lines: number): Promise<{ text: string; offset: number }> {
  const size = await sizeOf(file)
  const text = await readFrom(file, Math.max(0, size - MAX_TAIL_BYTES), MAX_TAIL_BYTES)
  const ended = text.endsWith('\n') || text === '' ? text : `${text}\n`
  return {
    text: ended
      .split('\n')
      .slice(-lines - 1)
      .join('\n'),
    offset: size,
  }
}

/**
 * What is appended to a log after an offset, with where that ends, also when it is begun anew; from its end without one.
 * Nothing is looked at while nothing changes.
 */
export async function* followLog(
  file: string,
  from: number | undefined,
  signal: AbortSignal,
): AsyncGenerator<{ text: string; offset: number }> {
  const changes = new Changes(file, signal)
  let offset = from ?? (await sizeOf(file))
  try {
    do {
      const size = await sizeOf(file)
      if (size < offset) offset = 0
      while (offset < size) {
        const length = Math.min(size - offset, MAX_CHUNK_BYTES)
        const text = await readFrom(file, offset, length)
        if (text === '') break
        offset += length
        yield { text, offset }
      }
    } while (await changes.next())
  } finally {
    changes.close()
  }
}

/** Tells when a file may have changed. */
class Changes {
  readonly #watcher: ReturnType<typeof watch>
  #changed = false
  #wake: (() => void) | undefined

  constructor(
    file: string,
    private readonly signal: AbortSignal,
  ) {
    const name = basename(file)
    this.#watcher = watch(dirname(file), (_event, changed) => {
      if (changed === name || changed === null) this.#notify()
    })
    this.#watcher.on('error', () => this.#notify())
    signal.addEventListener('abort', () => this.#notify(), { once: true })
  }

  /** Resolves at the next change; false when nobody wants to know any more. */
  async next(): Promise<boolean> {
    if (!this.#changed && !this.signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
    this.#changed = false
    return !this.signal.aborted
  }

  close(): void {
    this.#watcher.close()
  }

  #notify(): void {
    this.#changed = true
    this.#wake?.()
  }
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size
  } catch {
    return 0
  }
}

async function readFrom(file: string, offset: number, length: number): Promise<string> {
  try {
    await using handle = await open(file, 'r')
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(length), position: offset })
    return buffer.subarray(0, bytesRead).toString('utf8')
  } catch {
    return ''
  }
}
