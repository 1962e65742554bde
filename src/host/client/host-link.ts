import { Value } from '@sinclair/typebox/value'
import { type Deadline, type Deadlines, settlesWithin } from '../../core/deadlines.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import {
  type Activity,
  AgentRecord,
  Channel,
  type ChannelData,
  createChannelHandler,
  type Exit,
  type Frame,
  FrameError,
  Hello,
  type HostPrompt,
  type HostResponse,
  type Operation,
  PROTOCOL,
  PushFrame,
  parseErrorCode,
  type Question,
  RESPONSE_SCHEMAS,
  ReplyFrame,
  type RequestFields,
  SUPPORTED_PROTOCOLS,
} from '../protocol/index.ts'
import type { OutputStream } from './output-stream.ts'

const HELLO_MS = 5_000
/** Maximum bytes that wait for a host that does not read. */
const MAX_WAITING_BYTES = 16 << 20

/** Events that a host sends to the owner of the link. */
export interface LinkEvents {
  exit(exit: Exit, link: HostLink): void
  activity(sessions: Activity[]): void
  records(batch: { key: string; run: string; records: AgentRecord[] }, link: HostLink): void
  question(key: string, question: Question | undefined, link: HostLink): void
  askedHost(key: string, asked: HostPrompt | undefined, link: HostLink): void
  closed(link: HostLink, reason: string): void
}

interface PendingRequest {
  op: Operation
  resolve(reply: { ok: unknown; payload: Uint8Array }): void
  reject(error: unknown): void
  deadline: Deadline
}

/** A connection to one host. */
export class HostLink {
  readonly #channel: Channel
  readonly #pending = new Map<number, PendingRequest>()
  readonly #streams = new Map<number, OutputStream>()
  /** Settled by the host's hello, its error, or its end. */
  readonly #greeted = Promise.withResolvers<void>()
  #hello: Hello['hello'] | undefined
  #lastId = 0
  #bye = false

  private constructor(
    private readonly deadlines: Deadlines,
    private readonly events: LinkEvents,
  ) {
    this.#greeted.promise.catch(() => {})
    this.#channel = new Channel({
      frame: (frame) => this.#frame(frame),
      drained: () => {},
      closed: (reason) => this.#closed(reason),
    })
  }

  /** Connects to the host behind a socket; undefined when no one listens there, or not any more. */
  static async open(
    socket: string,
    build: string,
    deadlines: Deadlines,
    events: LinkEvents,
  ): Promise<HostLink | undefined> {
    const link = new HostLink(deadlines, events)
    if (!(await connect(socket, link.#channel))) return undefined
    link.#channel.send({ hello: { protocol: PROTOCOL, build, pid: process.pid } })
    const inTime = await settlesWithin(deadlines, HELLO_MS, link.#greeted.promise)
    if (inTime) return link.#hello && link
    link.close()
    throw new AppError('gateway-timeout', 'the session host does not answer')
  }

  get hello(): Hello['hello'] {
    if (this.#hello) return this.#hello
    throw new Error('this link was used before the host said hello')
  }

  /** True if the host has announced that it ends. */
  get ended(): boolean {
    return this.#bye
  }

  get open(): boolean {
    return this.#channel.open
  }

  /** Asks the host; fails with `gateway-timeout` when it has not answered after `ms`. */
  async request<Op extends Operation>(
    op: Op,
    fields: RequestFields<Op>,
    { ms, payload }: { ms: number; payload?: Uint8Array },
  ): Promise<{ ok: HostResponse<Op>; payload: Uint8Array }> {
    const reply = await this.#send(op, fields, ms, payload)
    const schema = RESPONSE_SCHEMAS[op]
    if (Value.Check(schema, reply.ok)) return { ok: reply.ok, payload: reply.payload }
    throw new AppError('bad-gateway', `the session host answered ${op} with something else`)
  }

  join(id: number, stream: OutputStream): void {
    this.#streams.set(id, stream)
  }

  leave(id: number): void {
    this.#streams.delete(id)
  }

  close(): void {
    this.#channel.close('the supervisor disconnected')
  }

  #send(
    op: Operation,
    fields: object,
    ms: number,
    payload?: Uint8Array,
  ): Promise<{ ok: unknown; payload: Uint8Array }> {
    if (!this.open) return Promise.reject(new LinkLostError(op))
    if (this.#channel.waiting > MAX_WAITING_BYTES) {
      return Promise.reject(new AppError('service-unavailable', 'the session host does not read what it is sent'))
    }
    const id = ++this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<{ ok: unknown; payload: Uint8Array }>()
    const deadline = this.deadlines.after(ms, () => {
      this.#pending.delete(id)
      reject(new AppError('gateway-timeout', `the session host has not answered ${op} in ${ms} ms`))
    })
    this.#pending.set(id, { op, resolve, reject, deadline })
    this.#channel.send({ ...fields, op, id }, payload)
    return promise
  }

  #frame({ header, payload }: Frame): void {
    if (Value.Check(ReplyFrame, header)) this.#reply(header, payload)
    else if (Value.Check(PushFrame, header)) this.#push(header, payload)
    else if (Value.Check(Hello, header)) this.#greet(header)
    else throw new FrameError('the session host sent what this build does not know')
  }

  #greet({ hello }: Hello): void {
    const { build, protocol } = hello
    if (SUPPORTED_PROTOCOLS.includes(protocol)) {
      this.#hello = hello
      this.#greeted.resolve()
      return
    }
    const detail = `the session host of build ${build} speaks protocol ${protocol}, not ${SUPPORTED_PROTOCOLS.join(', ')}`
    this.#greeted.reject(new AppError('conflict-wrong-state', detail))
    this.close()
  }

  #reply({ re, ok, refusal: error }: ReplyFrame, payload: Uint8Array): void {
    const pending = this.#pending.get(re)
    if (!pending) return
    this.#pending.delete(re)
    pending.deadline.cancel()
    if (error) pending.reject(new AppError(parseErrorCode(error.code), error.detail))
    else pending.resolve({ ok, payload })
  }

  #push(push: PushFrame, payload: Uint8Array): void {
    switch (push.push) {
      case 'output':
        this.#streams.get(push.stream)?.push({ offset: push.offset, bytes: payload.slice() })
        break
      case 'gap':
        this.#streams.get(push.stream)?.push({ gap: { from: push.from, to: push.to } })
        break
      case 'end':
        this.#streams.get(push.stream)?.end()
        break
      case 'activity':
        this.events.activity(push.sessions)
        break
      case 'exit':
        this.events.exit(push.exit, this)
        break
      case 'records':
        this.events.records({ key: push.key, run: push.run, records: parseRecords(payload) }, this)
        break
      case 'question':
        this.events.question(push.key, push.question, this)
        break
      case 'asked-host':
        this.events.askedHost(push.key, push.asked, this)
        break
      case 'bye':
        this.#bye = true
        break
      case 'refused':
        this.#greeted.reject(new AppError(parseErrorCode(push.code), push.detail))
        break
    }
  }

  #closed(reason: string): void {
    this.#greeted.resolve()
    for (const { op, reject, deadline } of this.#pending.values()) {
      deadline.cancel()
      reject(new LinkLostError(op))
    }
    this.#pending.clear()
    for (const stream of this.#streams.values()) stream.cut()
    this.#streams.clear()
    if (this.#hello) this.events.closed(this, reason)
  }
}

function parseRecords(payload: Uint8Array): AgentRecord[] {
  const lines = new TextDecoder().decode(payload).split('\n')
  return lines.map((line) => {
    const record: unknown = JSON.parse(line)
    if (Value.Check(AgentRecord, record)) return record
    throw new FrameError('the session host sent a record that this build does not know')
  })
}

/** The host ended during a request: whether the request was carried out is not known. */
export class LinkLostError extends AppError {
  constructor(op: Operation) {
    super('service-unavailable', `the session host exited before it answered ${op}`)
  }
}

/** A host that is dying fails a connection in other ways than one that is gone, for some milliseconds. */
const CONNECT_ATTEMPTS = 5
const RETRY_MS = 20

/** Connects a channel to a socket; false when no one listens there. */
async function connect(socket: string, channel: Channel): Promise<boolean> {
  for (let attempt = 1; ; attempt++) {
    try {
      await Bun.connect<ChannelData>({ unix: socket, socket: createChannelHandler(), data: { channel } })
      return true
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : undefined
      if (code === 'ENOENT' || code === 'ECONNREFUSED') return false
      if (attempt === CONNECT_ATTEMPTS) {
        throw new AppError('service-unavailable', `the session host cannot be reached: ${errorMessage(error)}`)
      }
      await Bun.sleep(RETRY_MS)
    }
  }
}
