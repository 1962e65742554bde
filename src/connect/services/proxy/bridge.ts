import type { Connection, Socket } from '../../../http/route.ts'

/** The longest message that goes through, in bytes: as much as servers take by themselves. */
const MAX_MESSAGE_BYTES = 16 * 1024 * 1024
/** As much may wait for a service that reads slowly, in bytes. */
const MAX_WAITING = 2 * MAX_MESSAGE_BYTES
/** As many messages may come before the client's side is open. */
const MAX_EARLY = 100
const TRY_LATER = 1013
const GOING_AWAY = 1001

/** A close code that may be sent; those that only describe a lost connection may not. */
const sendable = (code: number): number =>
  code >= 1000 && code <= 4999 && ![1004, 1005, 1006, 1015].includes(code) ? code : GOING_AWAY

/** Passes messages between a client and a service, each as it comes. */
export class Bridge implements Connection {
  readonly maxMessageBytes = MAX_MESSAGE_BYTES
  #client: Socket | undefined
  #early: (string | Uint8Array<ArrayBuffer>)[] = []
  #closed: { code: number; reason: string } | undefined

  constructor(private readonly service: WebSocket) {
    service.binaryType = 'arraybuffer'
    service.addEventListener('message', ({ data }) => this.#deliver(toMessage(data)))
    service.addEventListener('close', ({ code, reason }) => this.#end(sendable(code), reason))
  }

  open(client: Socket): void {
    this.#client = client
    for (const message of this.#early) client.send(message)
    this.#early = []
    if (this.#closed) client.close(this.#closed.code, this.#closed.reason)
  }

  message(_client: Socket, data: string | Uint8Array): void {
    if (this.service.bufferedAmount > MAX_WAITING) this.#end(TRY_LATER, 'the service reads too slowly')
    else this.service.send(typeof data === 'string' ? data : Uint8Array.from(data))
  }

  close(_client: Socket, code: number, reason: string): void {
    this.#client = undefined
    this.service.close(sendable(code) === code ? code : 1000, reason)
  }

  #deliver(message: string | Uint8Array<ArrayBuffer>): void {
    if (this.#client) this.#client.send(message)
    else if (this.#early.length < MAX_EARLY) this.#early.push(message)
    else this.#end(TRY_LATER, 'too much came before the connection was open')
  }

  #end(code: number, reason: string): void {
    this.#closed = { code, reason }
    this.#client?.close(code, reason)
    if (this.service.readyState === WebSocket.OPEN) this.service.close(1000)
  }
}

function toMessage(data: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof data === 'string') return data
  return data instanceof ArrayBuffer ? new Uint8Array(data) : new Uint8Array()
}

/** Opens a WebSocket to a service; rejects when the service does not take it. */
export function openUpstream(
  url: string,
  options: { headers: Record<string, string>; protocols: string[] },
  signal: AbortSignal,
): Promise<WebSocket> {
  return new Promise((resolve, reject) => {
    const upstream = new WebSocket(url, options)
    const refuse = () => reject(new Error('the service does not take a WebSocket here'))
    upstream.addEventListener('open', () => resolve(upstream), { once: true })
    upstream.addEventListener('error', refuse, { once: true })
    upstream.addEventListener('close', refuse, { once: true })
    signal.addEventListener(
      'abort',
      () => {
        reject(signal.reason)
        upstream.close()
      },
      { once: true },
    )
  })
}
