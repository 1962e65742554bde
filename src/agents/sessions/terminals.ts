import { randomBytes } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { CityContext } from '../../core/city-context.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { memoize } from '../../core/memoize.ts'
import type { SessionHost } from '../../host/client/index.ts'
import { SESSION_CONFLICT } from '../../host/protocol/index.ts'
import type { Connection, Socket } from '../../http/route.ts'
import { isRunning, type SessionResolver, type SessionRow } from '../../work/sessions/index.ts'
import type { AcpConversations, SessionActivity } from '../conversations/index.ts'
import { VIEWER_EFFECTS, type ViewerEffect } from './drawing.ts'
import { ViewerFilter } from './viewer-filter.ts'

export const TicketRequest = Type.Object(
  {
    write: Type.Optional(Type.Boolean({ description: 'True if keys may be typed; watching only when absent.' })),
    effects: Type.Optional(
      Type.Array(Type.Union(VIEWER_EFFECTS.map((effect) => Type.Literal(effect))), {
        maxItems: VIEWER_EFFECTS.length,
        description:
          "Effects on the viewer's terminal besides drawing that the program may use: title, clipboard or notifications. Default is none.",
      }),
    ),
  },
  { $id: 'TerminalTicketRequest', additionalProperties: false },
)
export type TicketRequest = Static<typeof TicketRequest>

export const Ticket = Type.Object(
  {
    ticket: Type.String({ description: 'Opens the terminal once, as `ticket` in the query.' }),
    expires_in: Type.Integer({ description: 'Seconds until it expires.' }),
    write: Type.Boolean({ description: 'True if keys may be typed.' }),
  },
  { $id: 'TerminalTicket', additionalProperties: false },
)
export type Ticket = Static<typeof Ticket>

export const TerminalSends = Type.Union(
  [
    Type.Object({
      type: Type.Literal('hello'),
      session: Type.String(),
      cols: Type.Integer(),
      rows: Type.Integer(),
      write: Type.Boolean(),
    }),
    Type.Object({
      type: Type.Literal('snapshot'),
      offset: Type.Integer({ description: 'The offset of the output that follows.' }),
      ansi: Type.String({ description: 'Escape sequences that draw the present screen.' }),
    }),
    Type.Object({ type: Type.Literal('gap'), from: Type.Integer(), to: Type.Integer() }),
    Type.Object({ type: Type.Literal('end'), reason: Type.String() }),
  ],
  { $id: 'TerminalSends', description: 'Text messages to the viewer; output is sent as binary messages.' },
)
export type TerminalSends = Static<typeof TerminalSends>

export const TerminalTakes = Type.Union(
  [
    Type.Object({
      type: Type.Literal('resize'),
      cols: Type.Integer({ minimum: 1, maximum: 1000 }),
      rows: Type.Integer({ minimum: 1, maximum: 1000 }),
    }),
    Type.Object({ type: Type.Literal('detach') }),
  ],
  { $id: 'TerminalTakes', description: 'Text messages from the viewer; keys are sent as binary messages.' },
)

const commandValidator = memoize(() => TypeCompiler.Compile(TerminalTakes))
const MINUTE = 60_000
/** Output is paused for a viewer with more than this in its socket's buffer. */
const MAX_BUFFERED = 1 << 20

interface TerminalsOptions {
  resolver: SessionResolver
  host: SessionHost
  activity: SessionActivity
  conversations: Pick<AcpConversations, 'usesAcp'>
}

/** Lets people watch, and type into, the terminals of sessions. */
export class Terminals {
  readonly #tickets = new Map<string, { session: string; write: boolean; effects: readonly ViewerEffect[] }>()

  constructor(
    private readonly context: CityContext,
    private readonly options: TerminalsOptions,
  ) {}

  /** A ticket that opens a running session's terminal once, within a minute. */
  ticket(token: string, { write = false, effects = [] }: TicketRequest): Ticket {
    const row = this.options.resolver.resolve(token)
    if (this.options.conversations.usesAcp(row.hostKey)) {
      throw new AppError(SESSION_CONFLICT, `conflict: session ${row.id} uses ACP and has no terminal`)
    }
    keyOf(row)
    const ticket = randomBytes(24).toString('base64url')
    this.#tickets.set(ticket, { session: row.id, write, effects })
    this.context.deadlines.after(MINUTE, () => this.#tickets.delete(ticket))
    return { ticket, expires_in: MINUTE / 1000, write }
  }

  /** Handles a viewer's socket. */
  attach(token: string, ticket: string | undefined): Connection {
    const row = this.options.resolver.resolve(token)
    const granted = ticket === undefined ? undefined : this.#tickets.get(ticket)
    if (ticket !== undefined) this.#tickets.delete(ticket)
    if (granted?.session !== row.id) {
      throw new AppError(
        'forbidden',
        `forbidden: ask for a terminal ticket of session ${row.id} first; each opens it once`,
      )
    }
    const viewer = new Viewer(this.options, row, keyOf(row), granted)
    return {
      open: (socket) => viewer.open(socket),
      message: (socket, data) => viewer.receive(socket, data),
      drain: () => viewer.onDrain(),
      close: () => viewer.close(),
    }
  }
}

function keyOf(row: SessionRow): string {
  if (row.hostKey && isRunning(row)) return row.hostKey
  throw new AppError(SESSION_CONFLICT, `conflict: session ${row.id} does not run, so it has no terminal; wake it first`)
}

/** One viewer of one terminal. */
class Viewer {
  readonly #closed = new AbortController()
  #resume: (() => void) | undefined
  #removeViewer: (() => void) | undefined

  constructor(
    private readonly options: TerminalsOptions,
    private readonly row: SessionRow,
    private readonly key: string,
    private readonly granted: { readonly write: boolean; readonly effects: readonly ViewerEffect[] },
  ) {}

  open(socket: Socket): void {
    this.#removeViewer = this.options.activity.addViewer(this.row.id)
    void this.#stream(socket).catch((error) => this.#end(socket, errorMessage(error)))
  }

  receive(socket: Socket, data: string | Uint8Array): void {
    if (typeof data === 'string') this.#handleCommand(socket, data)
    else if (this.granted.write)
      this.options.host.write(this.key, data).catch((error) => this.#end(socket, errorMessage(error)))
  }

  onDrain(): void {
    this.#resume?.()
  }

  close(): void {
    this.#closed.abort()
    this.#removeViewer?.()
    this.#resume?.()
  }

  async #stream(socket: Socket): Promise<void> {
    const { host } = this.options
    const { offset, ansi, cols, rows } = await host.snapshot(this.key)
    this.#send(socket, { type: 'hello', session: this.row.id, cols, rows, write: this.granted.write })
    const open = () => new ViewerFilter(new Set(this.granted.effects))
    this.#send(socket, { type: 'snapshot', offset, ansi: Buffer.from(open().push(Buffer.from(ansi))).toString() })
    let filter = open()
    for await (const chunk of host.follow(this.key, offset, this.#closed.signal)) {
      if ('gap' in chunk) {
        filter = open()
        this.#send(socket, { type: 'gap', ...chunk.gap })
      } else socket.sendBinary(filter.push(chunk.bytes))
      if (socket.getBufferedAmount() > MAX_BUFFERED) await this.#drain()
      if (this.#closed.signal.aborted) return
    }
    this.#end(socket, 'the program ended')
  }

  /** Resolves when the socket has drained or closed; output that is missed is sent as a gap. */
  #drain(): Promise<void> {
    return new Promise((resolve) => {
      this.#resume = resolve
    })
  }

  #handleCommand(socket: Socket, text: string): void {
    const command = parseCommand(text)
    if (command?.type === 'detach') socket.close(1000, 'detached')
    if (command?.type === 'resize' && this.granted.write) this.#resize(socket, command)
  }

  #resize(socket: Socket, { cols, rows }: { cols: number; rows: number }): void {
    this.options.host.resize(this.key, cols, rows).catch((error) => this.#end(socket, errorMessage(error)))
  }

  #end(socket: Socket, reason: string): void {
    if (this.#closed.signal.aborted) return
    this.#send(socket, { type: 'end', reason })
    socket.close(1000, 'ended')
  }

  #send(socket: Socket, message: TerminalSends): void {
    socket.sendText(JSON.stringify(message))
  }
}

/** A viewer's text message; undefined when it is not valid. */
function parseCommand(text: string): { type: 'resize'; cols: number; rows: number } | { type: 'detach' } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isCommand(value) ? value : undefined
  } catch {
    return undefined
  }
}
const isCommand = (value: unknown): value is Static<typeof TerminalTakes> => commandValidator().Check(value)
