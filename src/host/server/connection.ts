import { Value } from '@sinclair/typebox/value'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Ledger } from '../acp/ledger.ts'
import { Channel } from '../protocol/channel.ts'
import { type Frame, FrameFault } from '../protocol/frames.ts'
import { ASKS, type Ask, Hello, isOperation, type Push, type Reply, SPOKEN } from '../protocol/protocol.ts'
import type { Activity, Exit } from '../protocol/session.ts'
import type { HostSession } from './roster.ts'
import type { TerminalSession } from './session.ts'
import { Telling } from './telling.ts'

/** Beyond this nothing is read from a supervisor, and no output sent to it, until it has taken what it was sent. */
const WAITING_MOST = 256 << 10
const PIECE = 32 << 10

/** What a connection asks of its host. */
export interface ConnectionParts {
  hello: Hello['hello']
  /** Does what was asked; the answer may have a payload. */
  answer(ask: Ask, payload: Uint8Array, connection: Connection): unknown
  greeted(connection: Connection): void
  closed(connection: Connection): void
  report(sentence: string): void
}

/** An answer that has bytes beside its JSON. */
export class WithPayload {
  constructor(
    readonly ok: object,
    readonly payload: Uint8Array,
  ) {}
}

interface Follower {
  readonly stream: number
  readonly session: TerminalSession
  offset: number
  granted: number
}

/** One supervisor: what it asked, what it follows, and how much it has yet to take. */
export class Connection {
  readonly channel: Channel
  readonly #followers = new Map<number, Follower>()
  #telling: Telling | undefined
  #greeted = false
  #paused = false
  #pumping = false

  constructor(private readonly parts: ConnectionParts) {
    this.channel = new Channel({
      frame: (frame) => this.#frame(frame),
      drained: () => this.#drained(),
      closed: () => parts.closed(this),
    })
  }

  get greeted(): boolean {
    return this.#greeted
  }

  exit(exit: Exit): void {
    this.#push({ push: 'exit', exit })
  }

  /** Tells of new output; a supervisor that reads slowly is told less often. Answers whether it was told. */
  activity(sessions: Activity[]): boolean {
    if (this.channel.waiting > WAITING_MOST) return false
    this.#push({ push: 'activity', sessions })
    return true
  }

  /** Sends a session's output from `from` on as stream `stream`; answers where it begins. */
  follow(session: TerminalSession, stream: number, from: number | 'end', granted: number): number {
    const { end } = session.ring
    const offset = from === 'end' ? end : Math.min(Math.max(0, from), end)
    this.#followers.set(stream, { stream, session, offset, granted })
    this.#wake()
    return offset
  }

  grant(stream: number, bytes: number): void {
    const follower = this.#followers.get(stream)
    if (!follower) return
    follower.granted += bytes
    this.#wake()
  }

  unfollow(stream: number): void {
    this.#followers.delete(stream)
  }

  /** Tells from now on what agents say, first what is in these ledgers. */
  tell(ledgers: readonly Ledger[]): void {
    const way = {
      clear: () => this.channel.waiting <= WAITING_MOST,
      send: ({ key, run }: Ledger, lines: string[]) =>
        this.#push({ push: 'records', key, run }, Buffer.from(lines.join('\n'))),
    }
    this.#telling = new Telling(way, ledgers)
  }

  /** An agent has said something. */
  said(ledger: Ledger): void {
    this.#telling?.add(ledger)
  }

  /** A session has new output, or is over. */
  output(session: HostSession): void {
    if ([...this.#followers.values()].some((follower) => follower.session === session)) this.#wake()
  }

  end(stream: number): void {
    this.#followers.delete(stream)
    this.#push({ push: 'end', stream })
  }

  /** Takes leave: the other end need not wonder where this host went. */
  bye(): void {
    this.#push({ push: 'bye' })
    this.channel.close('the host has ended')
  }

  #push(push: Push, payload?: Uint8Array): void {
    this.channel.send(push, payload)
  }

  #frame({ header, payload }: Frame): void {
    if (this.#greeted) this.#request(header, payload)
    else this.#greet(header)
  }

  #request(header: Record<string, unknown>, payload: Uint8Array): void {
    const { id } = header
    if (typeof id !== 'number') throw new FrameFault('a request has no id')
    void this.#answer(id, header, payload)
    if (this.channel.waiting <= WAITING_MOST || this.#paused) return
    this.#paused = true
    this.channel.pause()
  }

  #greet(header: Record<string, unknown>): void {
    if (!Value.Check(Hello, header)) throw new FrameFault('the first frame is not a hello')
    const { protocol } = header.hello
    if (!SPOKEN.includes(protocol)) {
      const detail = `this host speaks protocol ${SPOKEN.join(', ')}, not ${protocol}`
      this.#push({ push: 'refused', code: 'conflict-wrong-state', detail })
      this.channel.close(detail)
      return
    }
    this.#greeted = true
    this.channel.send({ hello: this.parts.hello })
    this.parts.greeted(this)
  }

  async #answer(id: number, header: Record<string, unknown>, payload: Uint8Array): Promise<void> {
    try {
      const answer = await this.parts.answer(askOf(header), payload, this)
      if (answer instanceof WithPayload) return this.#reply({ re: id, ok: answer.ok }, answer.payload)
      this.#reply({ re: id, ok: answer ?? {} })
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal'
      if (code === 'internal') this.parts.report(`${header.op} failed: ${errorMessage(error)}`)
      this.#reply({ re: id, refusal: { code, detail: errorMessage(error) } })
    }
  }

  #reply(answer: Reply, payload?: Uint8Array): void {
    this.channel.send(answer, payload)
  }

  #drained(): void {
    if (this.#paused) {
      this.#paused = false
      this.channel.resume()
    }
    if (this.#followers.size > 0) this.#wake()
    this.#telling?.go()
  }

  #wake(): void {
    if (this.#pumping) return
    this.#pumping = true
    setImmediate(() => {
      this.#pumping = false
      this.#pump()
    })
  }

  /** A piece to each follower in turn, until nobody wants more or the other end has enough to take. */
  #pump(): void {
    let sent = true
    while (sent) {
      sent = false
      for (const follower of this.#followers.values()) {
        if (this.channel.waiting > WAITING_MOST) return
        if (this.#piece(follower)) sent = true
      }
    }
  }

  #piece(follower: Follower): boolean {
    const { stream, session } = follower
    const { ring } = session
    if (follower.offset < ring.oldest) {
      this.#push({ push: 'gap', stream, from: follower.offset, to: ring.oldest })
      follower.offset = ring.oldest
    }
    if (follower.offset === ring.end) {
      if (session.finished) this.end(stream)
      return false
    }
    if (follower.granted <= 0) return false
    const bytes = ring.read(follower.offset, Math.min(PIECE, follower.granted))
    this.#push({ push: 'output', stream, offset: follower.offset }, bytes)
    follower.offset += bytes.length
    follower.granted -= bytes.length
    return true
  }
}

function askOf(header: Record<string, unknown>): Ask {
  const { op } = header
  if (!isOperation(op)) throw new AppError('not-implemented', `this host has no operation ${op}`)
  const schema = ASKS[op]
  if (Value.Check(schema, header)) return header
  const fault = Value.Errors(schema, header).First()
  throw new AppError('invalid-request', `${op}: ${fault?.path.slice(1)} ${fault?.message}`)
}
