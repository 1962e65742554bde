import { beadOf } from '../../src/client/bead-changes.ts'
import type { CityEvent } from '../../src/client/operations.ts'
import { copy } from './copy.ts'
import { subjectOf } from './event.ts'
import { matchesFilter } from './matching.ts'
import { type Action, type PageEvent, type Reach, table } from './page.ts'

const PAGE = 100
/** A text is looked for in so many events at a time, until there are enough or so many reads found too few. */
const LOOKED_THROUGH = 500
const ENOUGH = 60
const MAX_READS = 10

/** Filters of events on the server, under the words typed for each. */
const FIELDS = { type: 'type', who: 'actor', about: 'subject' } as const

interface Filter {
  readonly query: Partial<Record<(typeof FIELDS)[keyof typeof FIELDS], string>>
  /** Text that any part of an event must contain; applied to the rows that were read. */
  readonly text: string
}

const isWord = (word: string): word is keyof typeof FIELDS => Object.hasOwn(FIELDS, word)

/** `type:bead.closed who:ann paint` asks for the events of this type and actor with that text. */
export function parseEventFilter(filter: string): Filter {
  const query: Filter['query'] = {}
  const rest: string[] = []
  for (const part of filter.split(/\s+/)) {
    const [word = '', value = ''] = part.split(/:(.*)/s)
    if (isWord(word) && value !== '') query[FIELDS[word]] = value
    else rest.push(part)
  }
  return { query, text: rest.join(' ').trim().toLowerCase() }
}

/** True if an event matches the filter, whose type may be a prefix. */
function isAsked({ type, subject, actor }: PageEvent, filter: string): boolean {
  const { query } = parseEventFilter(filter)
  return type.startsWith(query.type ?? '') && subject === (query.subject ?? subject) && actor === (query.actor ?? actor)
}

/** Message of an event, or status and title of its bead. */
function saysOf(event: CityEvent): string {
  if (event.message) return event.message
  const bead = beadOf(event)
  return bead === undefined ? '' : [bead.status, bead.title].filter((each) => typeof each === 'string').join(' · ')
}

const hasText = (event: CityEvent, text: string): boolean =>
  matchesFilter([event.type, event.subject ?? '', event.actor, saysOf(event)].join(' '), text)

/** Shows only the events with the same value. */
const only = (key: string, word: keyof typeof FIELDS, help: string, value = ''): Action => ({
  ...{ key, name: word, help },
  disabled: value === '' ? 'this event has none' : undefined,
  run: async () => ({ filter: `${word}:${value}` }),
})

/** Begins the cursor of a list that the server selects by its type. */
const EXACT = '='

/** True if events of exactly this type exist, so that the server selects them; prefixes are matched here. */
async function isType({ city, signal }: Reach, type: string | undefined): Promise<boolean> {
  if (type === undefined) return false
  const { items } = await city.call('GET ~/events', { query: { type, limit: 1 }, ...(signal && { signal }) })
  return items.length > 0
}

/** Events of a city, newest first. */
export const eventsPage = table<CityEvent>({
  name: 'events',
  title: 'events',
  help: 'what happens in the city, newest first; / takes type:, who: and about:',
  empty: 'nothing has happened yet',
  isSearched: true,
  words: { type: 'event', who: 'who', about: 'about' },
  columns: [
    { title: 'time', width: 8, isName: true, cell: ({ ts: at }) => ({ at, tone: 'quiet' }) },
    { title: 'event', width: 24, isName: true, cell: ({ type }) => type },
    { title: 'about', width: 14, isName: true, cell: ({ subject }) => subject },
    {
      title: 'who',
      width: 14,
      leaves: 2,
      yields: true,
      isName: true,
      cell: ({ actor }) => ({ text: actor, tone: 'quiet' }),
    },
    { title: 'message', width: 8, leaves: 1, grows: true, cell: (event) => ({ text: saysOf(event), tone: 'quiet' }) },
  ],
  idOf: ({ seq }) => String(seq),
  isChangedBy: (event, _, filter) => isAsked(event, filter),
  ofEvent: (event, filter) => (hasText(event, parseEventFilter(filter).text) ? event : undefined),
  opens: (event, city) => subjectOf(event, city) ?? { page: 'event', city, subject: String(event.seq) },
  load: async (reach, { cursor, filter }) => {
    const { query, text } = parseEventFilter(filter)
    const isExact = cursor === undefined ? await isType(reach, query.type) : cursor.startsWith(EXACT)
    const { type = '', ...others } = query
    const asked = { ...others, ...(isExact && { type }) }
    const matches = (event: CityEvent) => event.type.startsWith(type) && hasText(event, text)
    const isSelected = text === '' && (isExact || type === '')
    const { city, signal } = reach
    const found: CityEvent[] = []
    let next = isExact ? cursor?.slice(EXACT.length) : cursor
    for (let read = 0; read < MAX_READS && found.length < ENOUGH; read++) {
      const part = { limit: isSelected ? PAGE : LOOKED_THROUGH, ...asked, ...(next && { cursor: next }) }
      const page = await city.call('GET ~/events', { query: part, ...(signal && { signal }) })
      found.push(...page.items.filter(matches))
      next = page.next_cursor
      if (next === undefined) break
    }
    return { items: found, next: next === undefined ? undefined : `${isExact ? EXACT : ''}${next}` }
  },
  actionsOf: ({ seq, type, actor, subject }) => [
    {
      ...{ key: 'v', name: 'view', help: 'all of the event' },
      run: async ({ city }) => ({ opens: { page: 'event', city: city.name, subject: String(seq) } }),
    },
    copy('y', 'copy', 'what it is about', subject),
    only('t', 'type', 'only events of this type', type),
    only('w', 'who', 'only events of this actor', actor),
    only('b', 'about', 'only events about the same', subject),
  ],
})
