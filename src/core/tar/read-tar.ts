import { BLOCK_BYTES, paddedSize, parseHeader, parsePaxRecords, readText, TarError, type TarHeader } from './header.ts'

/** A file, folder or other thing in a tar file. */
export interface TarEntry extends TarHeader {
  /** Its bytes, to be read whole or not at all. */
  content(): AsyncGenerator<Uint8Array>
}

/** Extended headers longer than this are not names. */
const MAX_EXTENSION_BYTES = 64 * 1024
/** Programs fill the last record of a tape with zeros. */
const MAX_PADDING_BYTES = 1024 * 1024
const PAX = 'x'
const GNU_LONG_NAME = 'L'

/** The entries of a tar file, one after the other; throws `TarError` where it is damaged or ends too early. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarEntry> {
  const reader = new ByteReader(source)
  try {
    let extended: Partial<TarHeader> = {}
    for (;;) {
      const header = parseHeader(await reader.read(BLOCK_BYTES))
      if (!header) break
      if (header.type === PAX || header.type === GNU_LONG_NAME) {
        extended = { ...extended, ...(await readExtension(reader, header)) }
        continue
      }
      yield* readEntry(reader, { ...header, ...extended })
      extended = {}
    }
    await reader.drain(MAX_PADDING_BYTES)
  } finally {
    await reader.close()
  }
}

async function* readEntry(reader: ByteReader, header: TarHeader): AsyncGenerator<TarEntry> {
  const content = reader.stream(header.size)
  yield { ...header, content: () => content }
  for await (const _ of content);
  for await (const _ of reader.stream(paddedSize(header.size) - header.size));
}

/** Attributes of the next entry, from an extended header. */
async function readExtension(reader: ByteReader, { size, type }: TarHeader): Promise<Partial<TarHeader>> {
  if (size > MAX_EXTENSION_BYTES) throw new TarError('an extended header in it is too long')
  const bytes = (await reader.read(paddedSize(size))).subarray(0, size)
  if (type === GNU_LONG_NAME) return { name: readText(bytes, 0, bytes.length) }
  const records = parsePaxRecords(bytes)
  const name = records.get('path')
  const length = records.get('size')
  if (length !== undefined && !/^\d{1,15}$/.test(length)) throw new TarError('a number in it is damaged')
  return { ...(name !== undefined && { name }), ...(length !== undefined && { size: Number(length) }) }
}

/** Reads exact numbers of bytes of a stream. */
class ByteReader {
  readonly #chunks: AsyncIterator<Uint8Array>
  #rest: Uint8Array = new Uint8Array(0)

  constructor(source: AsyncIterable<Uint8Array>) {
    this.#chunks = source[Symbol.asyncIterator]()
  }

  /** The next bytes, all of them. */
  async read(length: number): Promise<Uint8Array> {
    const parts: Uint8Array[] = []
    for await (const part of this.stream(length)) parts.push(part)
    return parts.length === 1 && parts[0] ? parts[0] : Buffer.concat(parts)
  }

  /** The next bytes as they come. */
  async *stream(length: number): AsyncGenerator<Uint8Array> {
    for (let left = length; left > 0; ) {
      const chunk = await this.#next()
      if (!chunk) throw new TarError('it ends too early')
      const part = chunk.subarray(0, left)
      this.#rest = chunk.subarray(part.length)
      left -= part.length
      yield part
    }
  }

  /** Reads what is left, so that the source is checked to its end; throws when that is more than `most`. */
  async drain(most: number): Promise<void> {
    let bytes = 0
    for (let chunk = await this.#next(); chunk; chunk = await this.#next()) {
      bytes += chunk.length
      if (bytes > most) throw new TarError('it continues after its end')
      this.#rest = new Uint8Array(0)
    }
  }

  /** Releases the source. */
  async close(): Promise<void> {
    await this.#chunks.return?.()
  }

  async #next(): Promise<Uint8Array | undefined> {
    if (this.#rest.length > 0) return this.#rest
    for (;;) {
      const { done, value } = await this.#chunks.next()
      if (done) return undefined
      if (value.length > 0) return value
    }
  }
}
