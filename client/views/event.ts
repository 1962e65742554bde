import type { CityEvent } from '../../src/client/operations.ts'
import { formatTime } from '../../src/client/text.ts'
import { copy } from './copy.ts'
import { type Line, type Location, type Reach, text } from './page.ts'
import { fieldLines, section } from './sections.ts'

/** One event with all that it says. */
export const eventPage = text({
  name: 'event',
  about: 'event',
  takes: 'the number of an event',
  title: 'event',
  help: 'one event, whole',
  isChangedBy: () => false,
  load: async (reach) => {
    const event = await readEvent(reach)
    if (!event)
      return { lines: [{ text: `There is no event ${reach.subject}, or it is no longer stored.` }], actions: [] }
    const actions = [copy('y', 'copy', 'the event', JSON.stringify(event))]
    return { lines: eventLines(event), actions, opens: subjectOf(event, reach.city.name) }
  },
})

/** Time an event is waited for that was not recorded yet. */
const WAIT_MS = 3_000

/** The first event after the one before it. */
async function readEvent({ city, subject, timers, signal }: Reach): Promise<CityEvent | undefined> {
  const seq = Number(subject)
  if (!Number.isSafeInteger(seq) || seq < 1) return undefined
  const read = new AbortController()
  const late = timers.after(WAIT_MS, () => read.abort())
  const ended = AbortSignal.any([read.signal, ...(signal ? [signal] : [])])
  try {
    for await (const frame of city.follow('GET ~/events/stream', {}, { signal: ended, timers, after: `${seq - 1}` })) {
      return frame.event === 'event' && frame.data.seq === seq ? frame.data : undefined
    }
    return undefined
  } finally {
    late.cancel()
    read.abort()
  }
}

/** The bead or session that an event is about. */
export function subjectOf(
  { type, subject = '', session_id: session }: Pick<CityEvent, 'type' | 'subject' | 'session_id'>,
  city: string,
): Location | undefined {
  if (type.startsWith('bead.')) return { page: 'bead', city, subject }
  if (session !== undefined) return { page: 'session', city, subject: session }
  return type.startsWith('session.') ? { page: 'session', city, subject } : undefined
}

function eventLines(event: CityEvent): Line[] {
  const { seq, ts, type, actor, subject, message, run_id, session_id, step_id, payload } = event
  const fields: [string, string | undefined][] = [
    ['number', String(seq)],
    ['time', `${formatTime(ts)} · ${ts}`],
    ['who', actor],
    ['about', subject],
    ['message', message],
    ['run', run_id],
    ['step', step_id],
    ['session', session_id],
  ]
  const told = JSON.stringify(payload ?? null, null, 2).split('\n')
  return [
    { text: type, tone: 'strong' },
    { text: '' },
    ...fieldLines(fields),
    ...section(
      'what it says',
      told.map((line) => ({ text: line })),
    ),
  ]
}
