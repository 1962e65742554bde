import type { CityEvent } from '../../src/client/operations.ts'
import { table } from './page.ts'

const PAGE = 100

/** What happens in a city, newest first. */
export const eventsPage = table<CityEvent>({
  name: 'events',
  title: 'events',
  help: 'what happens in the city, newest first',
  empty: 'nothing has happened yet',
  columns: [
    { title: 'time', width: 8, cell: ({ ts }) => ({ text: ts.slice(11, 19), tone: 'quiet' }) },
    { title: 'event', width: 24, cell: ({ type }) => type },
    { title: 'about', width: 14, isName: true, cell: ({ subject }) => subject },
    { title: 'who', width: 14, leaves: 1, isName: true, cell: ({ actor }) => ({ text: actor, tone: 'quiet' }) },
    { title: 'message', width: 8, grows: true, cell: ({ message }) => ({ text: message ?? '', tone: 'quiet' }) },
  ],
  idOf: ({ seq }) => String(seq),
  isChangedBy: () => true,
  opens: ({ type, subject = '' }, city) => {
    if (type.startsWith('bead.')) return { page: 'bead', city, subject }
    return type.startsWith('session.') ? { page: 'session', city, subject } : undefined
  },
  load: async ({ city, signal }, { cursor }) => {
    const query = { limit: PAGE, ...(cursor && { cursor }) }
    const { items, next_cursor: next } = await city.call('GET ~/events', { query, ...(signal && { signal }) })
    return { items, next }
  },
})
