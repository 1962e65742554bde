import { type Statement, type Store, stablePlan } from '../../core/store/index.ts'
import { RenderedJson } from '../../http/respond/index.ts'
import type { PostListResponse } from './schema.ts'

/** A list as JSON, for a reader who has voted on none of its posts. */
export interface ListText {
  readonly text: string
  /** The row numbers of its posts, and the ends of these in the text, after the last field of each. */
  readonly numbers: readonly number[]
  readonly ends: readonly number[]
}

/** Number of characters all kept lists have together. */
const MAX_CHARACTERS = 2 * 1024 * 1024
/** Longer questions are not kept. */
const MAX_QUESTION = 400

/** Selects the votes of an agent on some posts, in the order of these. */
export const VOTES_ON = `SELECT j.key AS at, v.value FROM json_each(?2) j
  CROSS JOIN votes v ON v.agent = ?1 AND v.kind = 0 AND v.target = j.value ORDER BY j.key`

/** Lists as they were last answered, kept while nothing changes in the database; the votes of a reader are put in. */
export class KeptLists {
  /** The list that was used last comes last. */
  readonly #lists = new Map<string, ListText>()
  readonly #votes: Statement<{ at: number; value: number }, [number, string]>
  #version = ''
  #characters = 0

  constructor(private readonly store: Store) {
    this.#votes = store.prepare(stablePlan(VOTES_ON))
  }

  /** The answer to a question, as an agent sees it; `read` is called where none is kept, and always without a question. */
  answer(
    viewer: number,
    question: string | undefined,
    read: () => Promise<ListText>,
  ): RenderedJson<PostListResponse> | Promise<RenderedJson<PostListResponse>> {
    if (question === undefined) return read().then((list) => this.#withVotes(viewer, list))
    const { version } = this.store
    if (version !== this.#version) this.#clear(version)
    const kept = this.#lists.get(question)
    if (!kept) return this.#read(question, version, read).then((list) => this.#withVotes(viewer, list))
    this.#lists.delete(question)
    this.#lists.set(question, kept)
    return this.#withVotes(viewer, kept)
  }

  async #read(question: string, version: string, read: () => Promise<ListText>): Promise<ListText> {
    const list = await read()
    const isNewest = this.#version === version && this.store.version === version
    if (isNewest && question.length <= MAX_QUESTION) this.#keep(question, list)
    return list
  }

  #keep(question: string, list: ListText): void {
    this.#characters += list.text.length - (this.#lists.get(question)?.text.length ?? 0)
    this.#lists.set(question, list)
    for (const [oldest, { text }] of this.#lists) {
      if (this.#characters <= MAX_CHARACTERS) return
      this.#lists.delete(oldest)
      this.#characters -= text.length
    }
  }

  #clear(version: string): void {
    this.#version = version
    this.#lists.clear()
    this.#characters = 0
  }

  #withVotes(viewer: number, { text, numbers, ends }: ListText): RenderedJson<PostListResponse> {
    if (viewer === 0 || numbers.length === 0) return new RenderedJson(text)
    const votes = this.#votes.all(viewer, JSON.stringify(numbers))
    let [answer, from] = ['', 0]
    for (const { at, value } of votes) {
      const end = ends[at] ?? 0
      answer += `${text.slice(from, end)},"user_vote":${value}`
      from = end
    }
    return new RenderedJson(answer + text.slice(from))
  }
}
