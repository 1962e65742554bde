import { Value } from '@sinclair/typebox/value'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Ring } from '../../core/ring.ts'
import type { RecordQueue } from '../acp/index.ts'
import type { Activity, Exit, HostPrompt, Question } from '../protocol/index.ts'
import {
  Channel,
  type Frame,
  FrameError,
  Hello,
  type HostRequest,
  isOperation,
  type PushFrame,
  REQUEST_SCHEMAS,
  type ReplyFrame,
  SUPPORTED_PROTOCOLS,
} from '../protocol/index.ts'
import type { HostSession } from './session-registry.ts'

/** Beyond this nothing is read from a supervisor, and no output sent to it, until it has taken what it was sent. */
const MAX_WAITING_BYTES = 256 << 10
const CHUNK_BYTES = 32 << 10

/** Options of a connection to its host. */
export interface ConnectionOptions {
  hello: Hello['hello']
  /** Carries out a request; the answer may have a payload. */
  handle(ask: HostRequest, payload: Uint8Array, connection: Connection): unknown
  onGreeted(connection: Connection): void
  onClosed(connection: Connection): void
  report(sentence: string): void
}

/** An answer that has bytes beside its JSON. */
export class WithPayload {
  constructor(
    readonly ok: object,
    readonly payload: Uint8Array,
  ) {}
}

/** A session whose output can be followed. */
export type FollowedSession = HostSession & { readonly ring: Ring }

interface StreamFollower {
  readonly stream: number
  readonly session: FollowedSession
  offset: number
  granted: number
}

/** One supervisor: its requests, what it follows, and how much it has yet to receive. */
export class Connection {
  readonly channel: Channel
  readonly #followers = new Map<number, StreamFollower>()
  #recordSender: RecordSender | undefined
  #sendsQuestions = false
  #sendsAskedHosts = false
  #greeted = false
  #paused = false
  #pumping = false

  constructor(private readonly parts: ConnectionOptions) {
    this.channel = new Channel({
      frame: (frame) => this.#frame(frame),
      drained: () => this.#drained(),
      closed: () => parts.onClosed(this),
    })
  }

  get greeted(): boolean {
    return this.#greeted
  }

  exit(exit: Exit): void {
    this.#push({ push: 'exit', exit })
  }

  /** Reports new output, less often to a supervisor that reads slowly; returns whether it was sent. */
  activity(sessions: Activity[]): boolean {
    if (this.channel.waiting > MAX_WAITING_BYTES) return false
    this.#push({ push: 'activity', sessions })
    return true
  }

  /** Sends a session's output from `from` on as stream `stream`; answers where it begins. */
  follow(session: FollowedSession, stream: number, from: number | 'end', granted: number): number {
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

  /** Sends agents' records from now on, first those in these queues. */
  sendRecords(queues: readonly RecordQueue[]): void {
    const way = {
      clear: () => this.channel.waiting <= MAX_WAITING_BYTES,
      send: ({ key, run }: RecordQueue, lines: string[]) =>
        this.#push({ push: 'records', key, run }, Buffer.from(lines.join('\n'))),
    }
    this.#recordSender = new RecordSender(way, queues)
  }

  /** An agent has produced a record. */
  onRecord(queue: RecordQueue): void {
    this.#recordSender?.add(queue)
  }

  /** Sends the questions of programs from now on. */
  sendQuestions(): void {
    this.#sendsQuestions = true
  }

  /** A program asks something on its screen, or nothing any more. */
  question(key: string, question: Question | undefined): void {
    if (this.#sendsQuestions) this.#push({ push: 'question', key, ...(question && { question }) })
  }

  /** Sends the hosts that people are asked about from now on. */
  sendAskedHosts(): void {
    this.#sendsAskedHosts = true
  }

  /** A program asks for a host that is on no list, for another one, or for none any more. */
  askedHost(key: string, asked: HostPrompt | undefined): void {
    if (this.#sendsAskedHosts) this.#push({ push: 'asked-host', key, ...(asked && { asked }) })
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

  #push(push: PushFrame, payload?: Uint8Array): void {
    this.channel.send(push, payload)
  }

  #frame({ header, payload }: Frame): void {
    if (this.#greeted) this.#request(header, payload)
    else this.#greet(header)
  }

  #request(header: Record<string, unknown>, payload: Uint8Array): void {
    const { id } = header
    if (typeof id !== 'number') throw new FrameError('a request has no id')
    void this.#answer(id, header, payload)
    if (this.channel.waiting <= MAX_WAITING_BYTES || this.#paused) return
    this.#paused = true
    this.channel.pause()
  }

  #greet(header: Record<string, unknown>): void {
    if (!Value.Check(Hello, header)) throw new FrameError('the first frame is not a hello')
    const { protocol } = header.hello
    if (!SUPPORTED_PROTOCOLS.includes(protocol)) {
      const detail = `this host speaks protocol ${SUPPORTED_PROTOCOLS.join(', ')}, not ${protocol}`
      this.#push({ push: 'refused', code: 'conflict-wrong-state', detail })
      this.channel.close(detail)
      return
    }
    this.#greeted = true
    this.channel.send({ hello: this.parts.hello })
    this.parts.onGreeted(this)
  }

  async #answer(id: number, header: Record<string, unknown>, payload: Uint8Array): Promise<void> {
    try {
      const answer = await this.parts.handle(parseRequest(header), payload, this)
      if (answer instanceof WithPayload) return this.#reply({ re: id, ok: answer.ok }, answer.payload)
      this.#reply({ re: id, ok: answer ?? {} })
    } catch (error) {
      const code = error instanceof AppError ? error.code : 'internal'
      if (code === 'internal') this.parts.report(`${header.op} failed: ${errorMessage(error)}`)
      this.#reply({ re: id, refusal: { code, detail: errorMessage(error) } })
    }
  }

  #reply(answer: ReplyFrame, payload?: Uint8Array): void {
    this.channel.send(answer, payload)
  }

  #drained(): void {
    if (this.#paused) {
      this.#paused = false
      this.channel.resume()
    }
    if (this.#followers.size > 0) this.#wake()
    this.#recordSender?.send()
  }

  #wake(): void {
    if (this.#pumping) return
    this.#pumping = true
    setImmediate(() => {
      this.#pumping = false
      this.#pump()
    })
  }

  /** A piece to each follower in turn, until no one wants more or the other end has enough to take. */
  #pump(): void {
    let sent = true
    while (sent) {
      sent = false
      for (const follower of this.#followers.values()) {
        if (this.channel.waiting > MAX_WAITING_BYTES) return
        if (this.#piece(follower)) sent = true
      }
    }
  }

  #piece(follower: StreamFollower): boolean {
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
    const bytes = ring.read(follower.offset, Math.min(CHUNK_BYTES, follower.granted))
    this.#push({ push: 'output', stream, offset: follower.offset }, bytes)
    follower.offset += bytes.length
    follower.granted -= bytes.length
    return true
  }
}

function parseRequest(header: Record<string, unknown>): HostRequest {
  const { op } = header
  if (!isOperation(op)) throw new AppError('not-implemented', `this host has no operation ${op}`)
  const schema = REQUEST_SCHEMAS[op]
  if (Value.Check(schema, header)) return header
  const mismatch = Value.Errors(schema, header).First()
  throw new AppError('invalid-request', `${op}: ${mismatch?.path.slice(1)} ${mismatch?.message}`)
}

const CHUNK_CHARACTERS = 128 << 10

/** The way to a supervisor. */
interface RecordChannel {
  /** True if it takes more now; when it does again, `go` is called. */
  clear(): boolean
  send(queue: RecordQueue, lines: string[]): void
}

/** Sends agents' records to one supervisor, each once and in order. */
class RecordSender {
  readonly #sentUpTo = new Map<RecordQueue, number>()
  #isSending = false

  constructor(
    private readonly way: RecordChannel,
    queues: readonly RecordQueue[],
  ) {
    for (const queue of queues) this.add(queue)
  }

  /** There is something new in a queue. */
  add(queue: RecordQueue): void {
    if (!this.#sentUpTo.has(queue)) this.#sentUpTo.set(queue, 0)
    if (this.#isSending) return
    this.#isSending = true
    setImmediate(() => {
      this.#isSending = false
      this.send()
    })
  }

  /** Sends what was not sent yet, as much as the other end takes. */
  send(): void {
    for (const [queue, sentUpTo] of this.#sentUpTo) {
      const entries = queue.after(sentUpTo)
      if (entries.length === 0 && queue.isEmpty) this.#sentUpTo.delete(queue)
      for (let at = 0; at < entries.length; ) {
        if (!this.way.clear()) return
        const lines: string[] = []
        for (let size = 0; at < entries.length && size < CHUNK_CHARACTERS; at++) {
          const entry = entries[at]
          if (!entry) break
          lines.push(entry.line)
          size += entry.line.length
          this.#sentUpTo.set(queue, entry.seq)
        }
        this.way.send(queue, lines)
      }
    }
  }
}
