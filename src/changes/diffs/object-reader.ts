import type { DiffGit } from './diff-git.ts'

export interface ObjectRequest {
  /** An object, or `<commit>:<path>`. */
  readonly name: string
  /** Bytes of its start that are read; none when 0. */
  readonly maxBytes: number
}

export interface ObjectStart {
  readonly type: string
  readonly size: number
  readonly start: Buffer
}

/** Bytes of content that one command may print. */
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024

/**
 * Reads sizes and the starts of objects with one command, which starts before the requests are known. Undefined for objects
 * that are missing or beyond the bound.
 */
export async function readObjects(
  git: DiffGit,
  wanted: Promise<readonly ObjectRequest[]>,
): Promise<(ObjectStart | undefined)[]> {
  const reader = new ObjectReader()
  let bytes = 0
  await git.stream(
    ['cat-file', '--batch-command'],
    (chunk) => {
      reader.take(chunk)
      bytes += chunk.length
      return bytes < MAX_OUTPUT_BYTES
    },
    { input: toInput(wanted, reader) },
  )
  return reader.objects
}

/** The requests as git reads them; none where they cannot be known. */
const toInput = (wanted: Promise<readonly ObjectRequest[]>, reader: ObjectReader): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    start: async (controller) => {
      const requests = await wanted.catch(() => [])
      reader.expect(requests)
      const lines = requests.map(({ name, maxBytes }) => `${maxBytes === 0 ? 'info' : 'contents'} ${name}\n`)
      if (lines.length > 0) controller.enqueue(Buffer.from(lines.join('')))
      controller.close()
    },
  })

class ObjectReader {
  objects: (ObjectStart | undefined)[] = []
  #requests: readonly ObjectRequest[] = []
  #at = 0
  #header = ''
  #kept: Uint8Array[] = []
  /** Bytes of the present content that are still to come, with the newline behind it. */
  #left = 0
  #present: Omit<ObjectStart, 'start'> | undefined

  expect(requests: readonly ObjectRequest[]): void {
    this.#requests = requests
    this.objects = requests.map(() => undefined)
  }

  take(chunk: Uint8Array): void {
    for (let from = 0; from < chunk.length; ) {
      if (this.#left > 0) from += this.#takeContent(chunk.subarray(from))
      else from += this.#takeHeader(chunk.subarray(from))
    }
  }

  #takeHeader(bytes: Uint8Array): number {
    const end = bytes.indexOf(0x0a)
    this.#header += Buffer.from(bytes.subarray(0, end === -1 ? bytes.length : end)).toString('latin1')
    if (end === -1) return bytes.length
    const [, type, size] = /^[0-9a-f]+ (blob|tree|commit|tag) (\d+)$/.exec(this.#header) ?? []
    this.#header = ''
    this.#present = type === undefined ? undefined : { type, size: Number(size) }
    const hasContent = this.#present !== undefined && (this.#requests[this.#at]?.maxBytes ?? 0) > 0
    if (hasContent) this.#left = Number(size) + 1
    else this.#finish()
    return end + 1
  }

  #takeContent(bytes: Uint8Array): number {
    const taken = Math.min(bytes.length, this.#left)
    const held = this.#kept.reduce((sum, { length }) => sum + length, 0)
    const wanted = Math.min(this.#requests[this.#at]?.maxBytes ?? 0, this.#present?.size ?? 0) - held
    if (wanted > 0) this.#kept.push(Uint8Array.from(bytes.subarray(0, Math.min(taken, wanted))))
    this.#left -= taken
    if (this.#left === 0) this.#finish()
    return taken
  }

  #finish(): void {
    if (this.#present) this.objects[this.#at] = { ...this.#present, start: Buffer.concat(this.#kept) }
    this.#kept = []
    this.#at++
  }
}
