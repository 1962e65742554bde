import type { AttentionItem } from '../../src/agents/attention/schema.ts'
import type { SessionResponse } from '../../src/agents/sessions/schema.ts'
import { placeOf } from './attention.ts'
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
  help: 'the live screen of a session',
  isChangedBy: isOneOf('session.', 'attention.'),
  load: async ({ city, subject: id, signal }) => {
    const [session, { items }] = await Promise.all([
      city.call('GET ~/session/{id}', { params: { id }, ...(signal && { signal }) }),
      city.call('GET ~/attention', { ...(signal && { signal }) }),
    ])
    const question = items.find(({ session_id }) => session_id === session.id)
    const actions = actionsOfSession(session)
    return { head: headLines(session, question), actions, opens: question && placeOf(question, city.name) }
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

/** What a session is, what it works on, and what it asks. */
function headLines(session: SessionResponse, question: AttentionItem | undefined): Line[] {
  const { state, template, title, active_bead: bead, model, context_pct: context } = session
  const facts = [state || 'closed', template, title, bead, model, context === undefined ? '' : `context ${context}%`]
  const asks: Line[] = question
    ? [{ text: `${question.asks} ${question.text ?? ''} (enter shows all of it)`, tone: 'warning' }]
    : []
  return [{ text: facts.filter(Boolean).join(' · '), tone: toneOf(state || 'closed') }, ...asks]
}

/** The lines of a screen, without the empty ones at its end. */
function screenLines(turns: readonly { text: string }[]): Line[] {
  const lines = turns
    .map(({ text }) => text)
    .join('\n')
    .split('\n')
  let end = lines.length
  while (end > 0 && (lines[end - 1] ?? '').trim() === '') end--
  return lines.slice(0, end).map((text) => ({ text }))
}

/** A turn of a conversation: who spoke, then what. */
export const turnLines = ({ role, text }: { role: string; text: string }): Line[] => [
  { text: role, tone: 'strong' },
  ...text.split(/\r?\n/).map((line) => ({ text: `  ${line}` })),
  { text: '' },
]
