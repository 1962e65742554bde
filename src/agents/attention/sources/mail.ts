import type { AttentionSource } from '../../../core/attention.ts'
import type { EventLog } from '../../../core/events/index.ts'
import type { Mail, Message } from '../../../work/mail/index.ts'
import type { ListedItem } from '../schema.ts'

/** So many messages are listed one by one: the newest. */
const MAX_LISTED = 100
/** Maximum characters of a message in the list; `gc mail read` shows the rest. */
const MAX_TEXT = 4_000

/** Unread mail to the people of the city, but for their own and for notices of gc, whose subject is on the list itself. */
export class MailAttention implements AttentionSource<ListedItem> {
  readonly name = 'mail'

  constructor(
    private readonly mail: Pick<Mail, 'unreadByPeople'>,
    private readonly log: Pick<EventLog, 'subscribe'>,
  ) {}

  items(): ListedItem[] {
    const { messages, unread } = this.mail.unreadByPeople(MAX_LISTED)
    const items = messages.map(toItem)
    const more = unread - messages.length
    if (more <= 0) return items
    const asks = `${more} more ${more === 1 ? 'message is' : 'messages are'} unread.`
    return [...items, { id: 'mail:more', kind: 'mail', asks, to_do: 'gc mail inbox human' }]
  }

  onChange(listener: () => void): () => void {
    return this.log.subscribe(({ type, payload }) => {
      if (type.startsWith('mail.') || isMessage(type, payload)) listener()
    })
  }
}

/** A message is a bead, which can also be closed, edited or deleted as one. */
function isMessage(type: string, payload: unknown): boolean {
  const { issue_type: kind }: Record<string, unknown> = Object(Object(payload).bead)
  return type.startsWith('bead.') && kind === 'message'
}

const toItem = ({ id, from, subject, body, created_at: since }: Message): ListedItem => ({
  ...{ id: `mail:${id}`, kind: 'mail', agent: from, bead_id: id, since },
  asks: `Mail from ${from}: ${subject}`,
  ...(body !== '' && { text: body.slice(0, MAX_TEXT).toWellFormed(), cut: body.length > MAX_TEXT }),
  to_do: `gc mail read ${id}, or gc mail reply ${id} -m "…"`,
})
