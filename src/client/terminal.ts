import { type CityClient, fillPath } from './client.ts'
import { Unreachable } from './errors.ts'
import { parseJson } from './json.ts'
import type { MessageFrom, MessageTo } from './operations.ts'

export interface TerminalOptions {
  /** True if keys reach the program; otherwise the terminal is read-only. */
  write: boolean
  /** Effects on this terminal, besides drawing, that the program may use. */
  effects?: readonly TerminalEffect[]
  cols: number
  rows: number
  /** Called with what the program writes; first with what redraws the current screen. */
  onOutput(bytes: Uint8Array): void
}

export type TerminalEffect = 'title' | 'clipboard' | 'notifications'

/** An open terminal of a session. */
export interface Terminal {
  send(bytes: Uint8Array): void
  resize(cols: number, rows: number): void
  close(): void
  /** Resolves with the reason when the server ends it, with undefined after `close`. */
  readonly closed: Promise<string | undefined>
}

const TERMINAL = 'GET ~/session/{id}/terminal'
const NORMAL_CLOSURE = 1000
const CLEAR = '\u001b[0m\u001b[2J\u001b[H'

/** Opens the terminal of a session with a ticket, since the address of a socket must not contain a token. */
export async function openTerminal(city: CityClient, session: string, options: TerminalOptions): Promise<Terminal> {
  const { write, effects = [] } = options
  const { ticket } = await city.call('POST ~/session/{id}/terminal-ticket', {
    params: { id: session },
    body: { write, ...(effects.length > 0 && { effects: [...effects] }) },
  })
  const path = fillPath(TERMINAL.replace('GET ', ''), { cityName: city.name, id: session })
  const { url } = city.client.access
  const socket = new WebSocket(`${url.replace(/^http/, 'ws')}${path}?${new URLSearchParams({ ticket })}`)
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
      else this.#onMessage(parseJson(String(data)) as MessageFrom<typeof TERMINAL> | undefined)
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
    this.#send({ type: 'resize', cols, rows })
  }

  close(): void {
    this.#end(undefined)
    this.socket.close(NORMAL_CLOSURE)
  }

  #onMessage(message: MessageFrom<typeof TERMINAL> | undefined): void {
    if (message?.type === 'snapshot') this.options.onOutput(new TextEncoder().encode(CLEAR + message.ansi))
    if (message?.type === 'end') this.#reason = message.reason
    if (message?.type === 'gap') this.#redraw()
  }

  /** After a gap the screen may be half drawn: a change of size makes the program redraw it. */
  #redraw(): void {
    this.#send({ type: 'resize', cols: this.#cols, rows: Math.max(1, this.#rows - 1) })
    this.#send({ type: 'resize', cols: this.#cols, rows: this.#rows })
  }

  #send(message: MessageTo<typeof TERMINAL>): void {
    if (!this.options.write || this.socket.readyState !== WebSocket.OPEN) return
    this.socket.send(JSON.stringify(message))
  }
}
