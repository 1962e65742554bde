import { cursorAfterSeq } from '../../../src/http/respond/cursor.ts'
import { STATED, tenfold } from './history.ts'
import type { Wire } from './wire.ts'

/** Reads of a city that are measured: much open work, little, and each with ten times the closed beads. */
const wide = STATED
const thin = { ...STATED, open: 200, edges: 4000, events: 10_000 }
export const CITIES = {
  wide: { size: wide },
  thin: { size: thin },
  'wide-tenfold': { size: tenfold(wide) },
  'thin-tenfold': { size: tenfold(thin) },
}

/** Beads far apart, each asked for once in a long while: what is asked for is on disk, and the bare server has it. */
export const another = (n: number): number => 1 + ((n * 7919) % wide.beads)

/** A read of a city, among much open work unless it names another city. */
export interface Read {
  what: string
  /** Below the city of this name. */
  path(city: string): string
  city?: 'wide' | 'thin'
  /** Limit of the 99th percentile, in milliseconds. */
  bound?: number
  /** Limit of the median, in times that of the bare server. */
  ratio?: number
  times?: number
}

const plain = (path: string) => () => path
const page = (query: string) => plain(`/beads?limit=100${query}`)
const events = (query: string) => plain(`/events?limit=100${query}`)

export const READS: Read[] = [
  { what: 'ready, 200', path: plain('/beads/ready'), city: 'thin', bound: 2 },
  { what: 'ready, 5,000', path: plain('/beads/ready'), bound: 15, times: 500 },
  { what: 'list, newest 100', path: page('') },
  { what: 'list, closed too', path: page('&all=true') },
  { what: 'list by label, closed too', path: page('&all=true&label=l7') },
  { what: 'list closed', path: page('&status=closed') },
  { what: 'list by status in hand', path: page('&status=in_progress') },
  { what: 'list by type', path: page('&type=task') },
  { what: 'list by rig, closed too', path: (city) => `/beads?limit=100&all=true&rig=${city}` },
  { what: 'list by assignee, closed too', path: page('&assignee=nobody&all=true') },
  { what: 'list by label and type, closed too', path: page('&all=true&label=l7&type=task') },
  { what: 'events, newest 100', path: events(''), ratio: 3 },
  { what: 'events by type', path: events('&type=bead.closed'), ratio: 3 },
  { what: 'events by actor', path: events('&actor=hand-3'), ratio: 3 },
  { what: 'events by both', path: events('&actor=hand-0&type=bead.created'), ratio: 5 },
  { what: 'events, oldest 100', path: events(`&cursor=${cursorAfterSeq(150)}`), ratio: 3 },
  { what: 'status', path: plain('/status') },
  { what: 'sessions', path: plain('/sessions') },
]

/** Time after a write is called for a reader has its answer that waited for it. */
export async function wake(reader: Wire, writer: Wire, city: string, index: number): Promise<number> {
  const woken = reader.ask('GET', `${city}/beads?limit=1&index=${index}&wait=30s`).then(() => performance.now())
  await Bun.sleep(5)
  const started = performance.now()
  await writer.json('POST', `${city}/beads`, { title: 'news' })
  return (await woken) - started
}
