import { readSync } from 'node:fs'
import { type Static, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'
import { isPriorityCall, isSignalCall } from '../filters.ts'
import { receiveDescriptor } from '../handover.ts'
import { type Policy, toPolicy } from '../policy.ts'
import { architecture, namesOfCalls } from '../system-calls.ts'
import { ConfinedSession, type Told } from './confined-session.ts'
import { type Connecting, connect } from './connect.ts'
import { listen } from './listen.ts'
import { changeMode } from './modes.ts'
import { type Answer, type Notification, receive, respond } from './notification.ts'
import { touchProcess } from './others.ts'
import { waitFor } from './poller.ts'
import { close } from './process-access.ts'

const SentAdmission = Type.Object({
  key: Type.String(),
  leader: Type.Integer(),
  socket: Type.Integer(),
  policy: Type.Unknown(),
  reserved: Type.Array(Type.Integer()),
  /** The port of the proxy that the host has for it. */
  proxy: Type.Optional(Type.Integer()),
  /** Where what it is denied is counted. */
  folder: Type.String(),
})
/** A program that was started confined: it hands its listener over at the other end of `socket`. */
export interface Admission extends Static<typeof SentAdmission> {
  policy: Policy
}

export interface Report extends Told {
  key: string
  folder: string
  /** Of a connection that its proxy refused: the hosts that would have to be allowed. */
  hosts?: readonly string[]
}

const ENOSYS = 38
const EIO = 5
const NAMES = namesOfCalls(architecture())

/** A connection that waits for its turn. */
interface Delayed {
  listener: number
  notification: Notification
  due: number
}

interface Waiting {
  listener: number
  notification: Notification
  connecting: Connecting
}

/** Answers the calls of confined programs until its control pipe is closed. */
export class BrokerLoop {
  readonly #sessions = new Map<number, ConfinedSession>()
  readonly #handovers = new Map<number, Admission>()
  readonly #connecting = new Map<number, Waiting>()
  /** One for each thread that waits in its call at most. */
  #delayed: Delayed[] = []
  #commands = ''

  constructor(
    private readonly control: number,
    private readonly report: (report: Report) => void,
  ) {}

  run(): void {
    for (;;) {
      const reading = [this.control, ...this.#handovers.keys(), ...this.#sessions.keys()]
      for (const { descriptor, ready, gone } of waitFor(reading, [...this.#connecting.keys()], this.#untilNext())) {
        if (descriptor === this.control) {
          if (!this.#readCommands()) return
        } else if (this.#handovers.has(descriptor)) this.#takeListener(descriptor)
        else if (this.#connecting.has(descriptor)) this.#finishConnecting(descriptor)
        else if (ready) this.#answer(descriptor)
        else if (gone) this.#forget(descriptor)
      }
      this.#resumeDelayed()
    }
  }

  /** Answers false when nobody will ask for anything any more. */
  #readCommands(): boolean {
    const bytes = Buffer.alloc(64 << 10)
    const length = readSync(this.control, bytes)
    if (length === 0) return false
    const lines = (this.#commands + bytes.toString('utf8', 0, length)).split('\n')
    this.#commands = lines.pop() ?? ''
    for (const line of lines) {
      const sent = Value.Parse(SentAdmission, JSON.parse(line))
      const admission = { ...sent, policy: toPolicy(sent.policy) }
      this.#handovers.set(admission.socket, admission)
    }
    return true
  }

  #takeListener(socket: number): void {
    const admission = this.#handovers.get(socket)
    this.#handovers.delete(socket)
    const listener = receiveDescriptor(socket)
    close(socket)
    if (listener === undefined || !admission) return
    const { key, folder } = admission
    this.#sessions.set(listener, new ConfinedSession(admission, (told) => this.report({ key, folder, ...told })))
  }

  #answer(listener: number): void {
    const session = this.#sessions.get(listener)
    const notification = receive(listener)
    if (!session || !notification) return
    const answer = this.#decide(session, listener, notification)
    if (answer) respond(listener, notification, answer)
  }

  /** Milliseconds until a connection that waits is due; undefined while none waits. */
  #untilNext(): number | undefined {
    if (this.#delayed.length === 0) return undefined
    return Math.max(0, Math.min(...this.#delayed.map(({ due }) => due)) - performance.now())
  }

  #resumeDelayed(): void {
    if (this.#delayed.length === 0) return
    const now = performance.now()
    const isDue = ({ due }: Delayed) => due <= now
    const due = this.#delayed.filter(isDue)
    this.#delayed = this.#delayed.filter((each) => !isDue(each))
    for (const { listener, notification } of due) {
      const session = this.#sessions.get(listener)
      const answer = session && this.#decide(session, listener, notification, true)
      if (answer) respond(listener, notification, answer)
    }
  }

  /** An error here must not leave a program in its call for ever. */
  #decide(
    session: ConfinedSession,
    listener: number,
    notification: Notification,
    hasWaited = false,
  ): Answer | undefined {
    const name = NAMES.get(notification.call) ?? ''
    try {
      if (name === 'listen') return listen(session, notification)
      if (isPriorityCall(name) || isSignalCall(name)) return touchProcess(session, notification, name)
      if (name !== 'connect') return name === '' ? { errno: ENOSYS } : changeMode(session, notification, name)
      const done = connect(session, notification, listener, hasWaited)
      if (typeof done !== 'string' && 'wait' in done) {
        this.#delayed.push({ listener, notification, due: performance.now() + done.wait })
        return undefined
      }
      if (typeof done === 'string' || !('connecting' in done)) return done
      this.#connecting.set(done.connecting.descriptor, { listener, notification, connecting: done.connecting })
      return undefined
    } catch {
      return { errno: EIO }
    }
  }

  #finishConnecting(descriptor: number): void {
    const waiting = this.#connecting.get(descriptor)
    this.#connecting.delete(descriptor)
    if (waiting) respond(waiting.listener, waiting.notification, waiting.connecting.finish())
  }

  /** All of its programs are over. */
  #forget(listener: number): void {
    this.#sessions.get(listener)?.flush()
    this.#sessions.delete(listener)
    this.#delayed = this.#delayed.filter((each) => each.listener !== listener)
    for (const [descriptor, waiting] of this.#connecting) {
      if (waiting.listener !== listener) continue
      this.#connecting.delete(descriptor)
      waiting.connecting.abandon()
    }
    close(listener)
  }
}
