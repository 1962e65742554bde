import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import type { DenialList } from '../../src/agents/confinement/schema.ts'
import type { SessionResponse } from '../../src/agents/sessions/schema.ts'
import type { SessionUsage } from '../../src/agents/usage/schema.ts'
import { formatConfined } from '../../src/client/confined.ts'
import { countOf } from '../../src/client/text.ts'
import { isQuestion, placeOf } from './attention.ts'
import { money, tokens } from './figures.ts'
import { isOneOf, type Line, text } from './page.ts'
import { actionsOfSession } from './session-actions.ts'
import { toneOf } from './tones.ts'

/** How much of a conversation is held. */
const MAX_LINES = 5_000

/** The screen of a session, or its conversation where it has no screen, as it changes. */
export const sessionPage = text({
  name: 'session',
  about: 'session',
  title: 'session',
  help: 'the live screen of a session, what it used, and how it is confined',
  isChangedBy: isOneOf('session.', 'attention.', 'worker.operation'),
  load: async ({ city, subject: id, signal }) => {
    const call = { params: { id }, ...(signal && { signal }) }
    const [session, used, denials, { items }] = await Promise.all([
      city.call('GET ~/session/{id}', call),
      city.call('GET ~/session/{id}/usage', call),
      city.call('GET ~/session/{id}/denials', call),
      city.call('GET ~/attention', { ...(signal && { signal }) }),
    ])
    const question = items.find(({ session_id }) => session_id === session.id)
    const actions = actionsOfSession(session)
    const asks = question !== undefined && isQuestion(question)
    const head = [stateLine(session, asks), ...usedLines(used), confinedLine(denials), ...questionLines(question)]
    return { head, actions, opens: question && placeOf(question, city.name) }
  },
  follow: async ({ city, subject: id }, { show, following }) => {
    let lines: readonly Line[] = []
    for await (const frame of city.follow('GET ~/session/{id}/stream', { params: { id } }, following)) {
      if (frame.event !== 'turn') continue
      const { format, turns } = frame.data
      lines = format === 'text' ? screenLines(turns) : [...lines, ...turns.flatMap(turnLines)].slice(-MAX_LINES)
      show(lines)
    }
  },
})

/** What a session is, and what it works on. */
function stateLine(session: SessionResponse, asks: boolean): Line {
  const { template, title, active_bead: bead, model, context_pct: context } = session
  const state = asks ? 'waiting' : session.state || 'closed'
  const facts = [state, template, title, bead, model, context === undefined ? '' : `context ${context}%`]
  return { text: facts.filter(Boolean).join(' · '), tone: toneOf(state) }
}

/** What it used, once anything is known of that. */
function usedLines(used: SessionUsage): Line[] {
  const { invocations: turns, cost_usd_estimate: usd, unpriced } = used
  return turns === 0 ? [] : [{ text: `${money(usd, unpriced)} · ${tokens(used)} · ${countOf(turns, 'turn')}` }]
}

const confinedLine = (denials: DenialList): Line => ({
  text: `confined: ${formatConfined(denials)}`,
  tone: denials.unconfined ? 'warning' : 'quiet',
})

/** What it asks. */
const questionLines = (question: AttentionItem | undefined): Line[] =>
  question ? [{ text: `${question.asks} (enter shows all of it) ${question.text ?? ''}`, tone: 'warning' }] : []

/** The lines of a screen, without the empty ones at its end. */
function screenLines(turns: readonly { text: string }[]): Line[] {
  const lines = turns
    .map(({ text }) => text)
    .join('\n')
    .split('\n')
  let end = lines.length
  while (end > 0 && (lines[end - 1] ?? '').trim() === '') end--
  return lines.slice(0, end).map((text) => ({ text, isPicture: true }))
}

/** A turn of a conversation: who spoke, then what. */
export const turnLines = ({ role, text }: { role: string; text: string }): Line[] => [
  { text: role, tone: 'strong' },
  ...text.split(/\r?\n/).map((line) => ({ text: `  ${line}` })),
  { text: '' },
]
