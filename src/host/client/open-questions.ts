import { AppError } from '../../core/errors.ts'
import type { Question } from '../protocol/question.ts'
import type { HostLink } from './host-link.ts'

const ANSWER_MS = 10_000

type QuestionListener = (key: string, question: Question | undefined) => void

/** The questions on programs' screens, as their hosts report them. */
export class OpenQuestions {
  readonly #open = new Map<string, { question: Question; link: HostLink }>()
  readonly #reporting = new Set<HostLink>()
  /** Hosts that were asked and have not said yet what is open. */
  readonly #pending = new Map<HostLink, Promise<void>>()
  readonly #listeners = new Set<QuestionListener>()

  constructor(private readonly report: (sentence: string) => void) {}

  find(key: string): Question | undefined {
    return this.#open.get(key)?.question
  }

  /** Whether this host reports questions; one of an earlier build does not. */
  reports(link: HostLink | undefined): boolean {
    return link !== undefined && this.#reporting.has(link)
  }

  subscribe(listener: QuestionListener): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Asks a host to report its questions from now on. */
  follow(link: HostLink): void {
    const pending = this.#follow(link).finally(() => this.#pending.delete(link))
    this.#pending.set(link, pending)
  }

  /** Resolves when every host that was found has said what is open, or cannot. */
  async whenKnown(): Promise<void> {
    await Promise.all(this.#pending.values())
  }

  async #follow(link: HostLink): Promise<void> {
    try {
      const { ok } = await link.request('questions', {}, { ms: ANSWER_MS })
      this.#reporting.add(link)
      for (const { key, question } of ok.open) this.set(key, question, link)
    } catch (error) {
      const isEarlier = error instanceof AppError && error.code === 'not-implemented'
      if (!isEarlier && link.open) this.report(`the questions of a session host are not reported: ${error}`)
    }
  }

  set(key: string, question: Question | undefined, link: HostLink): void {
    if (question) this.#open.set(key, { question, link })
    else if (!this.#open.delete(key)) return
    for (const listener of this.#listeners) listener(key, question)
  }

  /** The host is gone, or the connection to it: one that is found again reports its questions anew. */
  drop(link: HostLink): void {
    this.#reporting.delete(link)
    for (const [key, open] of this.#open) if (open.link === link) this.#open.delete(key)
  }
}
