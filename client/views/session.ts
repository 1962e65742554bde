import type { DenialList } from '../../src/agents/confinement/index.ts'
import type { SessionUsage } from '../../src/agents/usage/index.ts'
import { isQuestion } from '../../src/client/attention.ts'
import { formatConfined } from '../../src/client/confined.ts'
import { ApiError } from '../../src/client/errors.ts'
import { styledParts } from '../../src/client/sgr.ts'
import { countOf } from '../../src/client/text.ts'
import type { SessionResponse } from '../../src/work/sessions/index.ts'
import { placeOf, waitingLines } from './attention.ts'
import { money, tokens } from './figures.ts'
import { followConversation, untilClosed } from './live-messages.ts'
import { type FollowText, isOneOf, type Line, type Location, type Reach, text } from './page.ts'
import { actionsOfSession } from './session-actions.ts'
import { toneOf } from './tones.ts'

/** The screen of a session, or its conversation where it has no screen, as it changes. */
export const sessionPage = text({
  name: 'session',
  about: 'session',
  title: 'session',
  help: 'the live screen of a session, what it works on and used, and how it is confined',
  isChangedBy: isOneOf('session.', 'attention.', 'worker.operation', 'bead.updated', 'bead.closed'),
  load: async (reach) => {
    const { city, subject: id, signal } = reach
    const call = { params: { id }, ...(signal && { signal }) }
    const [session, used, denials, { items }] = await Promise.all([
      city.call('GET ~/session/{id}', call),
      city.call('GET ~/session/{id}/usage', call),
      city.call('GET ~/session/{id}/denials', call),
      city.call('GET ~/attention', { ...(signal && { signal }) }),
    ])
    const waiting = items.filter(({ session_id }) => session_id === session.id)
    const [first] = waiting
    const work = workOf(session, city.name)
    const head = [
      stateLine(session, waiting.some(isQuestion)),
      ...(await workLines(reach, session, first === undefined)),
      ...usedLines(used),
      confinedLine(denials),
      ...waitingLines(waiting),
    ]
    return { head, actions: actionsOfSession(session), opens: first ? placeOf(first, city.name) : work }
  },
  follow: async (reach, options) => {
    try {
      await followScreen(reach, options)
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 409) throw error
    }
    if (!options.following.signal.aborted) await followConversation(reach, options)
  },
})

/** Shows the screen of a session until the session is closed. */
async function followScreen(reach: Reach, { show, following }: FollowText): Promise<void> {
  const { city, subject: id } = reach
  const options = untilClosed(reach, following)
  const call = { params: { id }, query: { styles: true } }
  for await (const { event, data } of city.follow('GET ~/session/{id}/screen', call, options)) {
    if (event === 'screen') show([...(data.running ? [] : [NOT_RUNNING]), ...screenLines(data.lines)])
  }
}

const NOT_RUNNING: Line = { text: 'Its program is not running; t shows the conversation.', tone: 'quiet' }

/** State of a session. */
function stateLine(session: SessionResponse, asks: boolean): Line {
  const { template, title, model, context_pct: context, metadata } = session
  const state = asks ? 'waiting' : session.state || 'closed'
  const facts = [
    state,
    template,
    title !== template && title,
    model,
    context !== undefined && `context ${context}%`,
    metadata?.end_reason,
  ]
  return { text: facts.filter(Boolean).join(' · '), tone: toneOf(state) }
}

const workOf = ({ active_bead: bead }: SessionResponse, city: string): Location | undefined =>
  bead === undefined ? undefined : { page: 'bead', city, subject: bead }

/** Its current work, by title. */
async function workLines({ city, signal }: Reach, session: SessionResponse, isOpened: boolean): Promise<Line[]> {
  const { active_bead: id } = session
  if (id === undefined) return []
  const { title } = await city.call('GET ~/bead/{id}', { params: { id }, ...(signal && { signal }) })
  return [{ text: `works on ${id}${isOpened ? ' (enter opens it)' : ''}: ${title}` }]
}

/** Its usage, once known. */
function usedLines(used: SessionUsage): Line[] {
  const { invocations: turns, cost_usd_estimate: usd, unpriced } = used
  return turns === 0 ? [] : [{ text: `${money(usd, unpriced)} · ${tokens(used)} · ${countOf(turns, 'turn')}` }]
}

const confinedLine = (denials: DenialList): Line => ({
  text: `confined: ${formatConfined(denials)}`,
  tone: denials.unconfined ? 'warning' : 'quiet',
})

/** The lines of a screen, without the empty ones at its end. */
function screenLines(lines: readonly string[]): Line[] {
  const shown = lines.map((line): Line => {
    const parts = styledParts(line)
    return { text: parts.map(({ text }) => text).join(''), isPicture: true, parts }
  })
  return shown.slice(0, shown.findLastIndex(({ text }) => text.trim() !== '') + 1)
}
