import { isOneOf, text } from './page.ts'
import { turnLines } from './session.ts'

/** The whole conversation of a session, also of one that ended. */
export const transcriptPage = text({
  name: 'transcript',
  about: 'session',
  title: 'transcript',
  help: 'the conversation of a session',
  isChangedBy: isOneOf('worker.operation', 'session.'),
  load: async ({ city, subject: id, signal }) => {
    const query = { format: 'conversation' as const }
    const transcript = await city.call('GET ~/session/{id}/transcript', {
      params: { id },
      query,
      ...(signal && { signal }),
    })
    const turns = 'turns' in transcript ? (transcript.turns ?? []) : []
    return { lines: turns.flatMap(turnLines) }
  },
})
