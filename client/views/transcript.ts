import { conversationOf } from './entries.ts'
import { followConversation } from './live-messages.ts'
import { isOneOf, type Line, text } from './page.ts'

/** Number of lines that stand above the one that a transcript is opened at. */
const LEAD = 3

/** The whole conversation of a session as it grows, also of one that ended. */
export const transcriptPage = text({
  name: 'transcript',
  about: 'session',
  title: 'transcript',
  help: 'the conversation of a session, with what its tools were given and returned',
  isChangedBy: isOneOf('worker.operation', 'session.'),
  load: async ({ city, subject: id, at, signal }) => {
    if (at === undefined) return {}
    const call = { params: { id }, query: { format: 'structured' as const }, ...(signal && { signal }) }
    const transcript = await city.call('GET ~/session/{id}/transcript', call)
    if (!('structured_messages' in transcript)) return { lines: [] }
    const { lines, found } = conversationOf(transcript.structured_messages, at)
    const head: Line[] = [
      ...(transcript.history.diagnostics ?? []).flatMap(({ message }) => (message ? [{ text: message }] : [])),
      ...(found === undefined
        ? [{ text: `what was found is not there any more: ${at.text}`, tone: 'warning' as const }]
        : []),
    ]
    return { head, lines, ...(found !== undefined && { first: Math.max(0, found - LEAD) }) }
  },
  follow: async (reach, options) => {
    if (reach.at === undefined) await followConversation(reach, options)
  },
})
