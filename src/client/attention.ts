import type { AttentionItem } from '../agents/attention/index.ts'
import { withLocalTimes } from './text.ts'

/** Kinds of other versions have names that this one does not know. */
type Asking = Pick<AttentionItem, 'asks'> & { readonly kind: string }

const QUESTIONS: ReadonlySet<string> = new Set(['permission', 'dialog', 'host'])

/** True if an agent asks it, and waits for the answer. */
export const isQuestion = ({ kind }: Pick<Asking, 'kind'>): boolean => QUESTIONS.has(kind)

/** Text of an item: questions verbatim, messages of gc with local times, without today's date. */
export const asksOf = (item: Asking, now?: number): string =>
  isQuestion(item) ? item.asks : withLocalTimes(item.asks, now)

/** An item, with those that ask the same to the byte. */
export interface AttentionGroup {
  readonly item: AttentionItem
  readonly others: readonly AttentionItem[]
}

/** The items in their order, those that ask the same as one. */
export function groupEqual(items: readonly AttentionItem[]): AttentionGroup[] {
  const groups = Map.groupBy(items, ({ id, same }) => same ?? id)
  return [...groups.values()].flatMap(([item, ...others]) => (item ? [{ item, others }] : []))
}

/** Item in one line: for a question its command, path or text first, then the request. */
export function lineOf(item: AttentionItem, now?: number): string {
  const { subject, text } = item
  const parts = isQuestion(item) ? [subject ?? text, asksOf(item, now)] : [asksOf(item, now), text]
  return parts
    .filter(Boolean)
    .join(' · ')
    .replace(/\s*\n\s*/g, ' ')
}

/** Number of sessions that ask it, if more than one. */
export const sessionsOf = ({ others }: AttentionGroup): string =>
  others.length === 0 ? '' : `${others.length + 1} sessions`
