import { type CityClient, fillPath } from './client.ts'
import { isRecord, parseJson, Unreachable } from './problem.ts'

export interface TerminalOptions {
  /** Whether what is typed reaches the program; without it one only looks. */
  write: boolean
  cols: number
  rows: number
  /** Hears what the program shows; first what draws the screen as it is. */
  onOutput(bytes: Uint8Array): void
}

/** An open terminal of a session. */
export interface Terminal {
  send(bytes: Uint8Array): void
  resize(cols: number, rows: number): void
  close(): void
  /** Resolves with the reason when the other side ends it, with undefined when we did. */
  readonly closed: Promise<string | undefined>
}

const NORMAL = 1000
const CLEAR = '\u001b[0m\u001b[2J\u001b[H'

/** Opens the terminal of a session: a ticket first, since the address of a socket must not hold a token. */
export async function openTerminal(city: CityClient, session: string, options: TerminalOptions): Promise<Terminal> {
  const { write } = options
  const { ticket } = await city.call('POST ~/session/{id}/terminal-ticket', {
    params: { id: session },
    body: { write },
  })
  const place = fillPath('~/session/{id}/terminal', { cityName: city.name, id: session })
  const { url } = city.client.access
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${place}?${new URLSearchParams({ ticket })}`)
  socket.binaryType = 'arraybuffer'
  const attached = new AttachedTerminal(socket, options)
  await attached.opened(url)
  return attached
}

class AttachedTerminal implements Terminal {
  readonly closed: Promise<string | undefined>
  #reason: string | undefined
  #end: (reason: string | undefined) => void
  #cols: number
  #rows: number

  constructor(
    private readonly socket: WebSocket,
    private readonly options: TerminalOptions,
  ) {
    const { promise, resolve } = Promise.withResolvers<string | undefined>()
    this.closed = promise
    this.#end = resolve
    this.#cols = options.cols
    this.#rows = options.rows
    socket.onmessage = ({ data }) => {
      if (data instanceof ArrayBuffer) options.onOutput(new Uint8Array(data))
      else this.#told(parseJson(String(data)))
    }
    socket.onclose = ({ reason }) => this.#end(this.#reason ?? (reason || 'the connection was lost'))
  }

  async opened(url: string): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    this.socket.onopen = () => resolve()
    this.socket.onerror = () => reject(new Unreachable(url, 'the terminal could not be opened'))
    await promise
    this.socket.onerror = null
    this.resize(this.#cols, this.#rows)
  }

  send(bytes: Uint8Array): void {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(new Uint8Array(bytes))
  }

  resize(cols: number, rows: number): void {
    this.#cols = cols
    this.#rows = rows
    this.#say({ type: 'resize', cols, rows })
  }

  close(): void {
    this.#end(undefined)
    this.socket.close(NORMAL)
  }

  #told(message: unknown): void {
    if (!isRecord(message)) return
    if (message.type === 'snapshot') this.options.onOutput(new TextEncoder().encode(CLEAR + String(message.ansi)))
    if (message.type === 'end') this.#reason = String(message.reason)
    if (message.type === 'gap') this.#redraw()
  }

  /** What was missed may have left the screen half drawn: a size that changes makes the program draw it anew. */
  #redraw(): void {
    this.#say({ type: 'resize', cols: this.#cols, rows: Math.max(1, this.#rows - 1) })
    this.#say({ type: 'resize', cols: this.#cols, rows: this.#rows })
  }

  #say(message: { type: 'resize'; cols: number; rows: number }): void {
    if (!this.options.write || this.socket.readyState !== WebSocket.OPEN) return
    this.socket.send(JSON.stringify(message))
  }
}
