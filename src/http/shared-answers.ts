import { ResponseBody } from './response-body.ts'
import type { ResponseContent } from './response-writer.ts'
import { Turns } from './turns.ts'

/** A rendered response with the number of the last event that it knows of. */
export interface Answer {
  readonly content: ResponseContent
  readonly index: number | undefined
}

interface SharedAnswer {
  readers: number
  readonly answer: Promise<Answer>
}

/** How many of those that wait for one answer are sent it in one tick. */
const READERS_PER_TICK = 64

const nextTick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** What requests that were woken together ask alike is answered once, after the last of them was woken. */
export class SharedAnswers {
  readonly #open = new Map<string, SharedAnswer>()
  readonly #turns = new Turns(READERS_PER_TICK)

  async get(key: string, create: () => Promise<Answer>): Promise<Answer> {
    const shared = this.#open.get(key) ?? this.#begin(key, create)
    shared.readers++
    const answer = await shared.answer
    await this.#turns.next()
    return answer
  }

  #begin(key: string, create: () => Promise<Answer>): SharedAnswer {
    const begin = async () => {
      await nextTick()
      this.#open.delete(key)
      const answer = await create()
      if (answer.content instanceof ResponseBody) answer.content.hold(shared.readers - 1)
      return answer
    }
    const shared: SharedAnswer = { readers: 0, answer: begin() }
    this.#open.set(key, shared)
    return shared
  }
}
