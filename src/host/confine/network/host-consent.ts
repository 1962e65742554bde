import { type Clock, toTimestamp } from '../../../core/clock.ts'
import type { HostAnswer, HostPrompt } from '../../protocol/index.ts'

/** Maximum time a connection waits for an answer, in milliseconds. */
const PROMPT_TIMEOUT_MS = 60_000
/** Maximum number of hosts that wait for an answer; others are only counted. */
const MAX_ASKED = 32
const MAX_COUNTED = 10_000

/** The outcome of a prompt about a connection. */
export type Verdict = 'allowed' | 'refused' | 'unanswered' | 'too-many'

interface WaitingPrompt {
  readonly host: string
  readonly port: number
  readonly since: string
  readonly waiting: Set<(verdict: Verdict) => void>
}

export interface HostConsentOptions {
  clock: Clock
  patience?: number
  /** Called when the current prompt or the number of other hosts changes. */
  onChange(): void
}

/** The hosts beyond all lists that one session asks for, and what people said of them. One is asked about at a time. */
export class HostConsent {
  readonly #asked = new Map<string, WaitingPrompt>()
  /** Those that found no room among the asked ones. */
  readonly #others = new Set<string>()
  readonly #answers = new Map<string, 'session' | 'no'>()
  /** Hosts to which the next connection may pass. */
  readonly #passes = new Set<string>()
  #isOver = false

  constructor(private readonly options: HostConsentOptions) {}

  /** Current question to people: the host that has waited longest. */
  get current(): HostPrompt | undefined {
    const [first] = this.#asked.values()
    if (!first) return undefined
    const { host, port, since } = first
    return { host, port, since, others: this.#asked.size - 1 + this.#others.size }
  }

  /** Asks a person about a connection, unless one has said already; resolves after a while in any case. */
  async request(host: string, port: number): Promise<Verdict> {
    const name = nameOf(host, port)
    const answer = this.#answers.get(name)
    if (answer !== undefined) return answer === 'session' ? 'allowed' : 'refused'
    if (this.#passes.delete(name)) return 'allowed'
    if (this.#isOver) return 'refused'
    const asked = this.#asked.get(name) ?? this.#ask(host, port)
    return asked ? this.#wait(asked) : 'too-many'
  }

  /** Takes what a person says of a host; false when no one is asked about it. */
  answer(host: string, port: number, answer: HostAnswer): boolean {
    const name = nameOf(host, port)
    const asked = this.#asked.get(name)
    if (!asked) return false
    if (answer === 'none') this.close()
    else {
      this.#asked.delete(name)
      if (answer !== 'once') this.#answers.set(name, answer)
      else if (asked.waiting.size === 0) this.#passes.add(name)
      settle(asked, answer === 'no' ? 'refused' : 'allowed')
      if (this.#asked.size === 0) this.#others.clear()
    }
    this.options.onChange()
    return true
  }

  /** Asks no more: what waits is refused, and so is all that no one has said anything of. */
  close(): void {
    this.#isOver = true
    for (const asked of this.#asked.values()) settle(asked, 'refused')
    this.#asked.clear()
    this.#others.clear()
  }

  #ask(host: string, port: number): WaitingPrompt | undefined {
    const name = nameOf(host, port)
    if (this.#asked.size >= MAX_ASKED) {
      if (this.#others.has(name) || this.#others.size >= MAX_COUNTED) return undefined
      this.#others.add(name)
      this.options.onChange()
      return undefined
    }
    const since = toTimestamp(this.options.clock.now())
    const asked: WaitingPrompt = { host, port, since, waiting: new Set() }
    this.#others.delete(name)
    this.#asked.set(name, asked)
    this.options.onChange()
    return asked
  }

  #wait({ waiting }: WaitingPrompt): Promise<Verdict> {
    const { promise, resolve } = Promise.withResolvers<Verdict>()
    waiting.add(resolve)
    const timer = setTimeout(() => resolve('unanswered'), this.options.patience ?? PROMPT_TIMEOUT_MS)
    return promise.finally(() => {
      clearTimeout(timer)
      waiting.delete(resolve)
    })
  }
}

function settle({ waiting }: WaitingPrompt, verdict: Verdict): void {
  for (const resolve of waiting) resolve(verdict)
}

const nameOf = (host: string, port: number): string => `${host} ${port}`
