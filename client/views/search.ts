import type { TranscriptMatch } from '../../src/agents/conversations/index.ts'
import { countOf } from '../../src/client/text.ts'
import { copy } from './copy.ts'
import { type Action, type Query, type Reach, type Slice, table } from './page.ts'

const PAGE = 100
/** A request reads some conversations only: so many requests are made until one of them finds something. */
const MAX_REQUESTS = 25

/** Entries of sessions, live and closed, that contain words. */
export const searchPage = table<TranscriptMatch>({
  name: 'search',
  about: 'words',
  takes: 'the words to search for',
  title: 'search',
  help: 'what sessions said with all of these words, live and closed ones',
  empty: 'no session said all of these words',
  columns: [
    { title: 'session', width: 10, isName: true, cell: ({ session }) => session },
    { title: 'name', width: 14, leaves: 2, isName: true, cell: ({ session_name }) => session_name },
    { title: 'who', width: 9, cell: ({ role }) => ({ text: role, tone: 'quiet' }) },
    { title: 'said', width: 28, grows: true, cell: ({ excerpt }) => excerpt },
    { title: 'agent', width: 16, leaves: 3, yields: true, isName: true, cell: ({ template }) => template },
    {
      title: 'age',
      width: 4,
      leaves: 1,
      cell: ({ timestamp }) => (timestamp === undefined ? '' : { since: timestamp, tone: 'quiet' }),
    },
  ],
  idOf: ({ session, entry }) => `${session} ${entry ?? ''}`,
  isChangedBy: () => false,
  opens: ({ session, entry, excerpt }, city) => ({
    ...{ page: 'transcript', city, subject: session },
    at: { entry, text: excerpt },
  }),
  load: findMatches,
  actionsOf: ({ session, excerpt }) => [
    openSession(session),
    copy('y', 'copy', 'the id of its session', session),
    copy('C', 'copy-said', 'what was said', excerpt),
  ],
  actions: () => [searchSessions],
})

/** The next matches; requests continue until one finds some. */
async function findMatches({ city, subject: q, signal }: Reach, { cursor }: Query): Promise<Slice<TranscriptMatch>> {
  let [searched, next] = [0, cursor]
  for (let requests = 0; requests < MAX_REQUESTS; requests++) {
    const query = { q, limit: PAGE, ...(next && { cursor: next }) }
    const found = await city.call('GET ~/transcripts/search', { query, ...(signal && { signal }) })
    searched += found.searched
    next = found.next_cursor
    if (found.items.length > 0 || next === undefined) return { items: found.items, next, ...headOf(searched, next) }
  }
  return { items: [], next, ...headOf(searched, next) }
}

const headOf = (searched: number, next: string | undefined): Pick<Slice<never>, 'head'> => ({
  head: [
    {
      text: `searched ${countOf(searched, 'conversation')}${next === undefined ? '' : '; further down, older ones'}`,
      tone: 'quiet',
    },
  ],
})

const openSession = (id: string): Action => ({
  key: 'v',
  name: 'session',
  help: 'its live screen',
  run: async ({ city }) => ({ opens: { page: 'session', city: city.name, subject: id } }),
})

/** Searches what was said in all sessions. */
export const searchSessions: Action = {
  key: 'f',
  name: 'search',
  help: 'search what all sessions said',
  fields: [{ name: 'words', title: 'words that must all occur, in any order and case' }],
  run: async ({ city }, { words = '' }) => ({ opens: { page: 'search', city: city.name, subject: words.trim() } }),
}
