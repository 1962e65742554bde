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

/** Number of characters all kept lists have together. */
const MAX_CHARACTERS = 2 * 1024 * 1024
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

/** Lists as they were last answered, kept while nothing changes in the database; the votes of a reader are put in. */
export class KeptLists {
  readonly #lists: Kept<string, ListText>

  constructor(private readonly store: Store) {
    this.#lists = new Kept(
      () => store.version,
      MAX_CHARACTERS,
      ({ text }) => text.length,
    )
  }

  /** The answer to a question, as an agent sees it; `read` is called where none is kept, and always without a question. */
  answer(
    viewer: number,
    question: string | undefined,
    read: () => Promise<ListText>,
  ): RenderedJson<PostListResponse> | Promise<RenderedJson<PostListResponse>> {
    const isKept = question !== undefined && question.length <= MAX_QUESTION
    const list = isKept ? this.#lists.find(question, read) : read()
    return list instanceof Promise ? list.then((text) => this.#withVotes(viewer, text)) : this.#withVotes(viewer, list)
  }

  #withVotes(viewer: number, { text, numbers, ends }: ListText): RenderedJson<PostListResponse> {
    let [answer, from] = ['', 0]
    for (const [at, value] of votesOn(this.store, viewer, numbers)) {
      const end = ends[at] ?? 0
      answer += `${text.slice(from, end)},"user_vote":${value}`
      from = end
    }
    return new RenderedJson(answer + text.slice(from))
  }
}
