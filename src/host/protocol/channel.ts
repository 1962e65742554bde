import type { Socket } from 'bun'
import { errorMessage } from '../../core/errors.ts'
import { encodeFrame, type Frame, FrameReader } from './frames.ts'

/** Events of a channel for its owner. */
export interface ChannelEvents {
  frame(frame: Frame): void
  /** Everything that waited to be written has been. */
  drained(): void
  closed(reason: string): void
}

/** One end of a connection between a supervisor and a host. */
export class Channel {
  #socket: Socket<ChannelData> | undefined
  readonly #reader = new FrameReader()
  #queue: Uint8Array[] = []
  #waiting = 0
  #reason = 'the connection was closed'
  #done = false

  constructor(private readonly events: ChannelEvents) {}

  /** Bytes that the other end has not taken yet. */
  get waiting(): number {
    return this.#waiting
  }

  get open(): boolean {
    return !this.#done
  }

  attach(socket: Socket<ChannelData>): void {
    this.#socket = socket
  }

  send(header: object, payload?: Uint8Array): void {
    if (this.#done) return
    const frame = encodeFrame(header, payload)
    this.#queue.push(frame)
    this.#waiting += frame.length
    if (this.#queue.length === 1) this.flush()
  }

  /** Reads no more until `resume`: the other end then waits. */
  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    this.#socket?.resume()
  }

  close(reason: string): void {
    if (this.#done) return
    this.#reason = reason
    this.#socket?.end()
    this.lost()
  }

  received(bytes: Uint8Array): void {
    try {
      this.#reader.push(bytes, (frame) => {
        if (!this.#done) this.events.frame(frame)
      })
    } catch (error) {
      this.close(errorMessage(error))
    }
  }

  flush(): void {
    for (let first = this.#queue[0]; first && !this.#done; first = this.#queue[0]) {
      const written = this.#socket?.write(first) ?? 0
      if (written < 0) return
      this.#waiting -= written
      if (written < first.length) {
        this.#queue[0] = first.subarray(written)
        return
      }
      this.#queue.shift()
    }
    if (!this.#done) this.events.drained()
  }

  lost(): void {
    if (this.#done) return
    this.#done = true
    this.#queue = []
    this.#waiting = 0
    this.events.closed(this.#reason)
  }
}

/** Data by which a socket finds its channel. */
export interface ChannelData {
  channel: Channel
}

/** Connects Bun's sockets to channels. `arrived` gives a socket that was accepted its channel. */
export function createChannelHandler(arrived?: (socket: Socket<ChannelData>) => Channel) {
  return {
    open(socket: Socket<ChannelData>) {
      if (arrived) socket.data = { channel: arrived(socket) }
      socket.data.channel.attach(socket)
    },
    data: (socket: Socket<ChannelData>, bytes: Buffer) => socket.data.channel.received(new Uint8Array(bytes)),
    drain: (socket: Socket<ChannelData>) => socket.data.channel.flush(),
    close: (socket: Socket<ChannelData>) => socket.data?.channel.lost(),
    error: (socket: Socket<ChannelData>) => socket.data?.channel.lost(),
  }
}
