import type { AttentionItem } from '../agents/attention/index.ts'
import { withLocalTimes } from './text.ts'

type Asking = Pick<AttentionItem, 'kind' | 'asks'>

const QUESTIONS: ReadonlySet<string> = new Set(['permission', 'dialog', 'host'])

/** Whether an agent asks it, and waits for the answer. */
export const isQuestion = ({ kind }: Pick<AttentionItem, 'kind'>): boolean => QUESTIONS.has(kind)

/** What is asked: a question to the letter, what gc says with times where the person is, without the day of `now`. */
export const asksOf = (item: Asking, now?: number): string =>
  isQuestion(item) ? item.asks : withLocalTimes(item.asks, now)
