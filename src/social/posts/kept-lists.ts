import { query, type Store, stablePlan } from '../../core/store/index.ts'
import { RenderedJson } from '../../http/respond/index.ts'
import { Kept } from '../shared/index.ts'
import type { PostListResponse } from './schema.ts'

/** A list as JSON, for a reader who has voted on none of its posts. */
export interface ListText {
  readonly text: string
  /** The row numbers of its posts, and the ends of these in the text, after the last field of each. */
  readonly numbers: readonly number[]
  readonly ends: readonly number[]
}

/** Number of characters all kept lists have together, and those with votes of their readers. */
const MAX_CHARACTERS = 2 * 1024 * 1024
const MAX_VOTED_CHARACTERS = 1024 * 1024
/** Size of a kept answer that has the text of its list. */
const SAME_TEXT = 200
/** Longer questions are not kept. */
const MAX_QUESTION = 400

/** Selects the votes of an agent on some posts, in the order of these. */
export const VOTES_ON = `SELECT j.key AS at, v.value FROM json_each(?2) j
  CROSS JOIN votes v ON v.agent = ?1 AND v.kind = 0 AND v.target = j.value ORDER BY j.key`

const VOTES = query<{ at: number; value: 1 | -1 }, [number, string]>(stablePlan(VOTES_ON))

/** The votes of an agent on some posts, by the places of these. */
export function votesOn(store: Store, viewer: number, numbers: readonly number[]): ReadonlyMap<number, 1 | -1> {
  if (viewer === 0 || numbers.length === 0) return new Map()
  return new Map(store.all(VOTES, viewer, JSON.stringify(numbers)).map(({ at, value }) => [at, value]))
}

/** An answer to one reader, with the size that it adds to what is kept. */
interface KeptAnswer {
  readonly answer: RenderedJson<PostListResponse>
  readonly size: number
}

/** Lists as they were last answered, kept while nothing changes in the database; the votes of a reader are put in. */
export class KeptLists {
  readonly #lists: Kept<string, ListText>
  /** By reader and question. */
  readonly #answers: Kept<string, KeptAnswer>

  constructor(private readonly store: Store) {
    const version = () => store.version
    this.#lists = new Kept(version, MAX_CHARACTERS, ({ text }) => text.length)
    this.#answers = new Kept(version, MAX_VOTED_CHARACTERS, ({ size }) => size)
  }

  /** The answer to a question, as an agent sees it; `read` is called where none is kept, and always without a question. */
  answer(
    viewer: number,
    question: string | undefined,
    read: () => Promise<ListText>,
  ): RenderedJson<PostListResponse> | Promise<RenderedJson<PostListResponse>> {
    if (question === undefined || question.length > MAX_QUESTION)
      return read().then((list) => this.#withVotes(viewer, list).answer)
    const list = this.#lists.find(question, read)
    if (list instanceof Promise) return list.then((late) => this.#withVotes(viewer, late).answer)
    return this.#answers.findNow(`${viewer} ${question}`, () => this.#withVotes(viewer, list)).answer
  }

  #withVotes(viewer: number, { text, numbers, ends }: ListText): KeptAnswer {
    let [answer, from] = ['', 0]
    for (const [at, value] of votesOn(this.store, viewer, numbers)) {
      const end = ends[at] ?? 0
      answer += `${text.slice(from, end)},"user_vote":${value}`
      from = end
    }
    if (from === 0) return { answer: new RenderedJson(text), size: SAME_TEXT }
    return { answer: new RenderedJson(answer + text.slice(from)), size: text.length }
  }
}
