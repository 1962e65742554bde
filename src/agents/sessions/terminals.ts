import { randomBytes } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { TypeCompiler } from '@sinclair/typebox/compiler'
import type { Deadlines } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import { SESSION_CONFLICT } from '../../host/protocol/errors.ts'
import type { Connection, Socket } from '../../http/route.ts'
import type { SessionActivity } from './activity.ts'
import type { SessionHost } from './host.ts'
import type { SessionRepository } from './repository.ts'
import type { SessionRow } from './table.ts'
import { isRunning } from './view.ts'

export const TicketRequest = Type.Object(
  { write: Type.Optional(Type.Boolean({ description: 'Whether keys may be typed; looking only when absent.' })) },
  { $id: 'TerminalTicketRequest', additionalProperties: false },
)
export type TicketRequest = Static<typeof TicketRequest>

export const Ticket = Type.Object(
  {
    ticket: Type.String({ description: 'Opens the terminal once; give it as `ticket` in the query.' }),
    expires_in: Type.Integer({ description: 'Seconds until it is worth nothing.' }),
    write: Type.Boolean({ description: 'Whether keys may be typed.' }),
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
      offset: Type.Integer({ description: 'The bytes that follow begin here.' }),
      ansi: Type.String({ description: 'Draws the screen as it is.' }),
    }),
    Type.Object({ type: Type.Literal('gap'), from: Type.Integer(), to: Type.Integer() }),
    Type.Object({ type: Type.Literal('end'), reason: Type.String() }),
  ],
  { $id: 'TerminalSends', description: 'Text messages to the viewer; output itself comes as binary messages.' },
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

const taken = TypeCompiler.Compile(TerminalTakes)
const MINUTE = 60_000
/** A viewer that takes no more than this is told to come back rather than waited for. */
const BEHIND = 1 << 20

interface Parts {
  book: SessionRepository
  host: SessionHost
  live: SessionActivity
  deadlines: Deadlines
}

/** Lets people look at, and type into, the terminals of sessions. */
export class Terminals {
  readonly #tickets = new Map<string, { session: string; write: boolean }>()

  constructor(private readonly parts: Parts) {}

  /** A ticket that opens a running session's terminal once, within a minute. */
  ticket(row: SessionRow, write: boolean): Ticket {
    keyOf(row)
    const ticket = randomBytes(24).toString('base64url')
    this.#tickets.set(ticket, { session: row.id, write })
    this.parts.deadlines.after(MINUTE, () => this.#tickets.delete(ticket))
    return { ticket, expires_in: MINUTE / 1000, write }
  }

  /** What happens on a viewer's socket. */
  connect(row: SessionRow, ticket: string | undefined): Connection {
    const granted = ticket === undefined ? undefined : this.#tickets.get(ticket)
    if (ticket !== undefined) this.#tickets.delete(ticket)
    if (granted?.session !== row.id) {
      throw new AppError(
        'forbidden',
        `forbidden: ask for a terminal ticket of session ${row.id} first; each opens it once`,
      )
    }
    const viewer = new Viewer(this.parts, row, keyOf(row), granted.write)
    return {
      open: (socket) => viewer.open(socket),
      message: (socket, data) => viewer.take(socket, data),
      drain: () => viewer.drained(),
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
  #drained: (() => void) | undefined
  #leave: (() => void) | undefined

  constructor(
    private readonly parts: Parts,
    private readonly row: SessionRow,
    private readonly key: string,
    private readonly write: boolean,
  ) {}

  open(socket: Socket): void {
    this.#leave = this.parts.live.addViewer(this.row.id)
    void this.#show(socket).catch((error) => this.#end(socket, errorMessage(error)))
  }

  take(socket: Socket, data: string | Uint8Array): void {
    if (typeof data === 'string') this.#control(socket, data)
    else if (this.write) this.parts.host.write(this.key, data).catch((error) => this.#end(socket, errorMessage(error)))
  }

  drained(): void {
    this.#drained?.()
  }

  close(): void {
    this.#closed.abort()
    this.#leave?.()
    this.#drained?.()
  }

  async #show(socket: Socket): Promise<void> {
    const { host } = this.parts
    const { offset, ansi, cols, rows } = await host.snapshot(this.key)
    this.#say(socket, { type: 'hello', session: this.row.id, cols, rows, write: this.write })
    this.#say(socket, { type: 'snapshot', offset, ansi })
    for await (const piece of host.follow(this.key, offset, this.#closed.signal)) {
      if ('gap' in piece) this.#say(socket, { type: 'gap', ...piece.gap })
      else socket.sendBinary(piece.bytes)
      if (socket.getBufferedAmount() > BEHIND) await this.#room()
      if (this.#closed.signal.aborted) return
    }
    this.#end(socket, 'the program ended')
  }

  /** Resolves when the socket has been emptied or closed; what is missed meanwhile comes as a gap. */
  #room(): Promise<void> {
    return new Promise((resolve) => {
      this.#drained = resolve
    })
  }

  #control(socket: Socket, text: string): void {
    const said = parsed(text)
    if (said?.type === 'detach') socket.close(1000, 'detached')
    if (said?.type === 'resize' && this.write) this.#resize(socket, said)
  }

  #resize(socket: Socket, { cols, rows }: { cols: number; rows: number }): void {
    this.parts.host.resize(this.key, cols, rows).catch((error) => this.#end(socket, errorMessage(error)))
  }

  #end(socket: Socket, reason: string): void {
    if (this.#closed.signal.aborted) return
    this.#say(socket, { type: 'end', reason })
    socket.close(1000, 'ended')
  }

  #say(socket: Socket, message: TerminalSends): void {
    socket.sendText(JSON.stringify(message))
  }
}

/** What a viewer's text message asks for; undefined when it is nothing we know. */
function parsed(text: string): { type: 'resize'; cols: number; rows: number } | { type: 'detach' } | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return check(value) ? value : undefined
  } catch {
    return undefined
  }
}
const check = (value: unknown): value is Static<typeof TerminalTakes> => taken.Check(value)
