import type { AttentionItem } from '../../src/agents/attention/index.ts'
import { type AttentionGroup, asksOf, groupEqual, isQuestion, lineOf, sessionsOf } from '../../src/client/attention.ts'
import { formatTime } from '../../src/client/text.ts'
import { type Action, type Columns, isOneOf, type Line, type Location, type Outcome, table, whole } from './page.ts'

const BAD: ReadonlySet<string> = new Set([
  'failed',
  'parked',
  'cannot-start',
  'program',
  'store',
  'counter',
  'login',
  'unknown-agent',
  'disk',
])

/** Work that waits for a limit, not for a decision. */
const LIMITS: ReadonlySet<string> = new Set(['limit', 'budget'])

/** Sections of the list, in their order: what needs a person, what fails, and what waits for a limit. */
export const CONCERNS = ['needs you', 'failing', 'at a limit'] as const

function concernOf(item: AttentionItem): (typeof CONCERNS)[number] {
  if (LIMITS.has(item.kind)) return 'at a limit'
  return BAD.has(item.kind) && !isQuestion(item) ? 'failing' : 'needs you'
}

const rankOf = (item: AttentionItem): number => (isQuestion(item) ? -1 : CONCERNS.indexOf(concernOf(item)))

/** Columns of a list of what waits for a person. */
export const attentionColumns = {
  who: { title: 'who', width: 14, isName: true, cell: (group) => sessionsOf(group) || whoOf(group.item) },
  kind: {
    ...{ title: 'what', header: 'KIND', width: 12 },
    cell: ({ item: { kind } }) => ({ text: kind, tone: BAD.has(kind) ? 'bad' : 'warning' }),
  },
  asks: { title: 'asks', width: 32, grows: true, cell: ({ item }) => lineOf(item) },
  bead: {
    ...{ title: 'bead', width: 8, isName: true, leaves: 1 },
    cell: ({ item }) => ({ text: item.bead_id ?? '', tone: 'quiet' }),
  },
  toDo: {
    ...{ title: 'to do', width: 24, grows: true, leaves: 2 },
    cell: ({ item }) => ({ text: toDo(item), tone: 'quiet' }),
  },
  age: { title: 'age', header: 'SINCE', width: 4, cell: ({ item: { since } }) => ({ since, tone: 'quiet' }) },
} satisfies Columns<AttentionGroup>

/**
 * Items that need attention: questions of agents first, then other work, failures and limits; each longest waiting
 * first.
 */
export const attentionPage = table<AttentionGroup>({
  name: 'attention',
  aliases: ['waiting'],
  title: 'waiting for you',
  help: 'what waits for a person, questions of agents first',
  empty: 'nothing waits for you',
  columns: Object.values(attentionColumns),
  idOf: ({ item }) => item.id,
  markOf: ({ item }) => concernOf(item),
  isChangedBy: isOneOf('attention.'),
  opens: ({ item }, city) => placeOf(item, city),
  load: async ({ city, signal }) => {
    const { items, muted = [] } = await city.call('GET ~/attention', { ...(signal && { signal }) })
    const head = muted.map((mute): Line => ({ text: mutedText(mute), tone: 'quiet' }))
    return { ...whole(groupEqual(items.toSorted((a, b) => rankOf(a) - rankOf(b)))), head }
  },
  actionsOf: ({ item: { kind } }) => [snooze(kind), mute(kind)],
  actions: () => [UNMUTE],
})

/** Asker: the agent by name, and its session. */
const whoOf = ({ agent, session_id: session, bead_id: bead }: AttentionItem): string =>
  (agent && session ? `${agent} ${session}` : agent) || (session ?? bead ?? 'the city')

const mutedText = ({ kind, until }: { kind: string; until?: string }): string =>
  `${kind} is muted ${until === undefined ? `until :unmute` : `until ${formatTime(until)}`}`

const shownAgain = (kind: string): Outcome['undo'] => ({
  name: 'unmute',
  run: async ({ city }) => {
    await city.call('POST ~/attention-kind/{kind}/unmute', { params: { kind } })
    return { text: `${kind} is shown again` }
  },
})

const mute = (kind: string): Action => ({
  key: 'M',
  name: 'mute',
  help: 'hide all items of its kind until you unmute it',
  confirm: `Hide all items of the kind ${kind}?`,
  run: async ({ city }) => {
    await city.call('POST ~/attention-kind/{kind}/mute', { params: { kind }, body: {} })
    return { text: `${kind} is muted`, undo: shownAgain(kind) }
  },
})

const snooze = (kind: string): Action => ({
  key: 'S',
  name: 'snooze',
  help: 'hide all items of its kind for some hours',
  fields: [{ name: 'hours', title: `hours without items of the kind ${kind}`, initial: '2' }],
  run: async ({ city }, { hours = '' }) => {
    const until = new Date(Date.now() + Math.max(0, Number(hours)) * HOUR_MS)
    if (Number.isNaN(until.getTime())) return { text: `"${hours}" is not a number of hours` }
    const body = { until: until.toISOString() }
    await city.call('POST ~/attention-kind/{kind}/mute', { params: { kind }, body })
    return { text: `${kind} is muted until ${formatTime(body.until)}`, undo: shownAgain(kind) }
  },
})

const HOUR_MS = 3_600_000

const UNMUTE: Action = {
  key: 'U',
  name: 'unmute',
  help: 'show a muted kind of items again',
  fields: [{ name: 'kind', title: 'kind' }],
  run: async (reach, { kind = '' }) => (await shownAgain(kind)?.run(reach, {})) ?? {},
}

/** Attention items about the subject of a page, with their fixes. */
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

/** Begins the id of a change that is ready for review. */
const REVIEW = 'review:'
/** Begins the id of a landing that waits, or that of a rig in which nothing lands. */
const LANDING = 'landing:'

/** A question is opened, so that it is read whole before it is answered; so is what is about no session and no bead. */
export function placeOf({ id, kind, answers, session_id, bead_id, rig }: AttentionItem, city: string): Location {
  if (kind === 'mail' && bead_id !== undefined) return { page: 'thread', city, subject: bead_id }
  if (kind === 'landing') {
    const subject = id.slice(LANDING.length)
    return subject === rig ? { page: 'landings', city, subject: '' } : { page: 'landing', city, subject }
  }
  if (kind === 'review') return { page: 'change', city, subject: id.slice(REVIEW.length) }
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
