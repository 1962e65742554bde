import type { Socket } from 'bun'

/** One frame on the socket of a session host: a JSON header and optional bytes. */
export interface HostFrame {
  header: Record<string, unknown>
  payload: Uint8Array
}

/** One line of a recorded connection. */
export interface RecordedFrame {
  from: 'supervisor' | 'host'
  header: Record<string, unknown>
  /** Base64. */
  payload?: string
}

interface Writable {
  write(bytes: Uint8Array): number
}

export const recordedFrames = (text: string): RecordedFrame[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line))

/** Encodes a frame: two lengths of 32 bits, big-endian, then the header and the payload. */
export function frameBytes({ header, payload }: HostFrame): Buffer {
  const text = Buffer.from(JSON.stringify(header))
  const lengths = Buffer.alloc(8)
  lengths.writeUInt32BE(text.length, 0)
  lengths.writeUInt32BE(payload.length, 4)
  return Buffer.concat([lengths, text, payload])
}

/**
 * One end of a host connection. It implements the frame layout automatically instead of importing it, so that a change
 * of the layout in the program shows.
 */
export class FrameConnection {
  readonly frames: HostFrame[] = []
  readonly #closed = Promise.withResolvers<'closed'>()
  #rest = Buffer.alloc(0)
  #unsent: Buffer = Buffer.alloc(0)
  #socket: Writable | undefined
  #received = Promise.withResolvers<void>()

  constructor(private readonly onFrame: (frame: HostFrame) => void = () => {}) {}

  /** Connects to the host that listens at `path`. */
  static async open(path: string): Promise<FrameConnection> {
    const connection = new FrameConnection()
    const socket = {
      open: (opened: Socket<unknown>) => connection.opened(opened),
      data: (_socket: Socket<unknown>, bytes: Buffer) => connection.received(bytes),
      drain: () => connection.drained(),
      close: () => connection.#closed.resolve('closed'),
    }
    await Bun.connect({ unix: path, socket })
    return connection
  }

  opened(socket: Writable): void {
    this.#socket = socket
    this.drained()
  }

  send(header: object, payload: Uint8Array = new Uint8Array(0)): void {
    this.#unsent = Buffer.concat([this.#unsent, frameBytes({ header: { ...header }, payload })])
    this.drained()
  }

  /** Resolves with the first frame that matches; fails after ten seconds or when the connection is closed. */
  async waitFor(what: string, matches: (frame: HostFrame) => boolean): Promise<HostFrame> {
    const timeout = Bun.sleep(10_000).then(() => 'timeout' as const)
    for (;;) {
      const frame = this.frames.find(matches)
      if (frame) return frame
      const ended = await Promise.race([this.#received.promise, timeout, this.#closed.promise])
      if (ended !== undefined && !this.frames.some(matches)) throw new Error(`${what}: ${ended}`)
    }
  }

  received(bytes: Buffer): void {
    this.#rest = Buffer.concat([this.#rest, bytes])
    while (this.#rest.length >= 8) {
      const [header, payload] = [this.#rest.readUInt32BE(0), this.#rest.readUInt32BE(4)]
      const [from, to] = [8 + header, 8 + header + payload]
      if (this.#rest.length < to) break
      const frame = { header: JSON.parse(this.#rest.toString('utf8', 8, from)), payload: this.#rest.subarray(from, to) }
      this.#rest = this.#rest.subarray(to)
      this.frames.push(frame)
      this.onFrame(frame)
    }
    this.#received.resolve()
    this.#received = Promise.withResolvers()
  }

  drained(): void {
    const written = this.#socket?.write(this.#unsent) ?? 0
    this.#unsent = this.#unsent.subarray(Math.max(0, written))
  }
}
