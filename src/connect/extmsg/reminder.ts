import { fenceText } from '../../config/providers/prompt.ts'
import type { TranscriptRow } from './table.ts'

/** How many messages a reminder shows, and how many characters of each. */
export const MAX_SHOWN = 20
const MAX_BODY = 2_000
const MAX_NAME = 80

export interface ReminderSubject {
  /** What gc calls the conversation. */
  readonly id: string
  readonly messages: readonly TranscriptRow[]
  /** How many messages came before those. */
  readonly omitted: number
  /** Whether the session is to answer, or only follows. */
  readonly isAddressed: boolean
}

/** What is typed to a session when messages came from outside: what others wrote is fenced, as mail is. */
export function formatReminder({ id, messages, omitted, isAddressed }: ReminderSubject): string {
  const count = messages.length + omitted
  const first = isAddressed
    ? `You have ${count === 1 ? 'a message' : `${count} messages`} from outside in conversation ${id}. Answer with \`gc extmsg send ${id} "…"\`; nothing else that you write is seen there.`
    : `For your information: ${count === 1 ? 'a message' : `${count} messages`} in conversation ${id}, which another session is to answer.`
  const earlier =
    omitted > 0 ? [`Read all with \`gc extmsg transcript ${id}\`: ${omitted} earlier ones are not shown.`] : []
  return [first, ...earlier, fenceText(messages.map(show).join('\n\n'), 'people outside, by messenger')].join('\n')
}

function show({ actor, body, attachments }: TranscriptRow): string {
  const text = plain(body)
  const shown = text.length > MAX_BODY ? `${text.slice(0, MAX_BODY)}…` : text
  const files = attachments?.length ? `\n(${attachments.length} attached)` : ''
  return `${nameOf(actor)}: ${shown}${files}`
}

const nameOf = ({ display_name, id, is_bot }: TranscriptRow['actor']): string => {
  const name =
    plain(display_name || id)
      .replace(/\s+/g, ' ')
      .trim()
      .slice(0, MAX_NAME) || 'somebody'
  return is_bot ? `${name} (a bot)` : name
}

/** Without control characters and marks that hide or turn text around, but for the ends of lines. */
const plain = (text: string): string =>
  text.replace(/\r\n?/g, '\n').replace(/[[\p{Cc}\p{Cf}\u2028\u2029]--[\n\u200d]]/gv, ' ')
