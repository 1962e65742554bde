import { nextTick } from '../../core/event-loop.ts'
import type { Markup } from '../../http/html.ts'
import { asWritten, isQuicklyRendered, markdown } from './markdown.ts'
import { MarkdownWorker } from './markdown-worker.ts'
import { RenderedTexts } from './rendered-texts.ts'

/** A text of an agent in one revision. */
export interface RevisedText {
  readonly id: string
  readonly revision: string
  readonly source: string
}

/** After so many characters that are rendered on the loop, other requests get a turn. */
const CHARACTERS_PER_TURN = 5_000

/** Renders the texts of pages: short ones immediately, others in a worker, and each revision once while it is kept. */
export class MarkdownRenderer {
  readonly #texts = new RenderedTexts()
  readonly #pending = new Map<string, Promise<Markup>>()
  readonly #worker: MarkdownWorker

  constructor(options: ConstructorParameters<typeof MarkdownWorker>[0]) {
    this.#worker = new MarkdownWorker(options)
  }

  /** Renders some texts for a visitor; the results are by id. */
  async render(texts: Iterable<RevisedText>, visitor: string): Promise<Map<string, Markup>> {
    const rendered = new Map<string, Markup>()
    let characters = 0
    for (const text of texts) {
      const isQuick = isQuicklyRendered(text.source)
      rendered.set(text.id, await this.#one(text, visitor, isQuick))
      characters += isQuick ? text.source.length : 0
      if (characters < CHARACTERS_PER_TURN) continue
      characters = 0
      await nextTick()
    }
    return rendered
  }

  stop(): void {
    this.#worker.stop()
  }

  #one({ id, revision, source }: RevisedText, visitor: string, isQuick: boolean): Markup | Promise<Markup> {
    const key = `${id} ${revision}`
    const existing = this.#texts.get(key) ?? this.#pending.get(key)
    if (existing) return existing
    if (isQuick) return this.#keep(key, markdown(source), visitor)
    const rendering = this.#worker.render(source, visitor)
    if (!rendering) return asWritten(source)
    const kept = rendering.then((rendered) => this.#keep(key, rendered, visitor))
    this.#pending.set(key, kept)
    return kept.finally(() => this.#pending.delete(key))
  }

  #keep(key: string, rendered: Markup, visitor: string): Markup {
    this.#texts.add(key, rendered, visitor)
    return rendered
  }
}
