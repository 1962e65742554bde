import { isObject } from '../../core/json.ts'
/** Frame on the host's socket: a JSON header and optional raw bytes. */
export interface Frame {
  header: Record<string, unknown>
  payload: Uint8Array
}

/** A start carries an environment and perhaps a prompt. */
const MAX_HEADER_BYTES = 4 << 20
const MAX_PAYLOAD_BYTES = 8 << 20
const LENGTH_BYTES = 8
const NOTHING = new Uint8Array(0)

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true })

/** One frame as bytes: length of header, length of payload (32 bits each, big-endian), header, payload. */
export function encodeFrame(header: object, payload: Uint8Array = NOTHING): Uint8Array {
  const text = encoder.encode(JSON.stringify(header))
  if (text.length > MAX_HEADER_BYTES) throw new RangeError(`a frame's header is at most ${MAX_HEADER_BYTES} bytes`)
  if (payload.length > MAX_PAYLOAD_BYTES)
    throw new RangeError(`a frame's payload is at most ${MAX_PAYLOAD_BYTES} bytes`)
  const frame = new Uint8Array(LENGTH_BYTES + text.length + payload.length)
  const view = new DataView(frame.buffer)
  view.setUint32(0, text.length)
  view.setUint32(4, payload.length)
  frame.set(text, LENGTH_BYTES)
  frame.set(payload, LENGTH_BYTES + text.length)
  return frame
}

/** Error for an invalid frame; its connection cannot be read further. */
export class FrameError extends Error {}

/** Cuts a stream of bytes into frames. Keeps at most one unfinished frame. */
export class FrameReader {
  #chunks: Uint8Array[] = []
  #held = 0
  #wanted = LENGTH_BYTES

  /** Hands on the frames that are whole with these bytes; throws a `FrameFault` at what is none. */
  push(bytes: Uint8Array, take: (frame: Frame) => void): void {
    this.#chunks.push(bytes)
    this.#held += bytes.length
    while (this.#held >= this.#wanted) {
      const all = this.#join()
      const view = new DataView(all.buffer, all.byteOffset, all.byteLength)
      const [header, payload] = [view.getUint32(0), view.getUint32(4)]
      if (header > MAX_HEADER_BYTES || payload > MAX_PAYLOAD_BYTES)
        throw new FrameError('a frame is longer than frames are')
      this.#wanted = LENGTH_BYTES + header + payload
      if (this.#held < this.#wanted) return
      const frame = decodeFrame(all.subarray(LENGTH_BYTES, this.#wanted), header)
      this.#chunks = [all.subarray(this.#wanted)]
      this.#held -= this.#wanted
      this.#wanted = LENGTH_BYTES
      take(frame)
    }
  }

  #join(): Uint8Array {
    const [only] = this.#chunks
    if (only && this.#chunks.length === 1) return only
    const all = new Uint8Array(this.#held)
    let at = 0
    for (const chunk of this.#chunks) {
      all.set(chunk, at)
      at += chunk.length
    }
    this.#chunks = [all]
    return all
  }
}

function decodeFrame(bytes: Uint8Array, headerLength: number): Frame {
  const header = parseHeader(bytes.subarray(0, headerLength))
  return { header, payload: bytes.subarray(headerLength) }
}

function parseHeader(bytes: Uint8Array): Record<string, unknown> {
  try {
    const header: unknown = JSON.parse(decoder.decode(bytes))
    if (isObject(header)) return header
  } catch {
    // Falls through: neither UTF-8 nor JSON.
  }
  throw new FrameError('a frame has no JSON object as its header')
}
