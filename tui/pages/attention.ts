import type { AttentionItem } from '../../src/agents/attention/index.ts'
import { asksOf, isQuestion } from '../../src/client/attention.ts'
import { isOneOf, type Line, type Location, table, whole } from './page.ts'

const BAD: ReadonlySet<string> = new Set([
  'failed',
  'parked',
  'cannot-start',
  'store',
  'counter',
  'login',
  'unknown-agent',
])

/** What waits for a person: the questions of agents, then the rest; of each the longest waiting first. */
export const attentionPage = table<AttentionItem>({
  name: 'attention',
  aliases: ['waiting'],
  title: 'waiting for you',
  help: 'what waits for a person, questions of agents first',
  empty: 'nothing waits for you',
  columns: [
    {
      title: 'who',
      width: 14,
      isName: true,
      cell: (item) => item.session_id ?? item.bead_id ?? (item.agent || 'the city'),
    },
    { title: 'what', width: 12, cell: ({ kind }) => ({ text: kind, tone: BAD.has(kind) ? 'bad' : 'warning' }) },
    { title: 'asks', width: 20, grows: true, cell: (item) => [asksOf(item), item.text].filter(Boolean).join(' · ') },
    { title: 'to do', width: 24, grows: true, leaves: 1, cell: (item) => ({ text: toDo(item), tone: 'quiet' }) },
    { title: 'age', width: 4, cell: ({ since }) => ({ since, tone: 'quiet' }) },
  ],
  idOf: ({ id }) => id,
  isChangedBy: isOneOf('attention.'),
  opens: (item, city) => placeOf(item, city),
  load: async ({ city, signal }) => {
    const { items } = await city.call('GET ~/attention', { ...(signal && { signal }) })
    return whole([...items.filter(isQuestion), ...items.filter((item) => !isQuestion(item))])
  },
})

/** What waits for a person about the thing of a page, and what to do about it. */
export const waitingLines = (items: readonly AttentionItem[]): Line[] =>
  items.flatMap((item): Line[] =>
    isQuestion(item)
      ? [{ text: `${item.asks} (enter shows all of it) ${item.text ?? ''}`, tone: 'warning' }]
      : [
          { text: [asksOf(item), item.text].filter(Boolean).join(' · '), tone: BAD.has(item.kind) ? 'bad' : 'warning' },
          { text: `→ ${item.to_do}`, tone: 'warning', hang: 2 },
        ],
  )

/** The answers under their keys, which a question takes once it was opened and read. */
const toDo = ({ answers, options = answers, to_do }: AttentionItem): string =>
  answers.length === 0 ? to_do : options.map((option, at) => `${at + 1} ${option}`).join(' · ')

/** A question is opened, so that it is read whole before it is answered; so is what is about no session and no bead. */
export function placeOf({ id, answers, session_id, bead_id }: AttentionItem, city: string): Location {
  if (answers.length > 0) return { page: 'question', city, subject: id }
  return aboutOf({ session_id, bead_id }, city) ?? { page: 'question', city, subject: id }
}

/** The session or bead that it is about. */
export function aboutOf(
  { session_id, bead_id }: Pick<AttentionItem, 'session_id' | 'bead_id'>,
  city: string,
): Location | undefined {
  if (session_id !== undefined) return { page: 'session', city, subject: session_id }
  return bead_id === undefined ? undefined : { page: 'bead', city, subject: bead_id }
}
