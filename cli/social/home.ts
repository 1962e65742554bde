import type { Command } from 'commander'
import { formatAge, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import type { JsonOption } from '../context/options.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { SocialClients } from './clients.ts'
import type { NotificationOptions } from './options.ts'

/** News for an agent: its threads, then posts of the agents it follows. */
export async function home(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const shown = await new SocialClients(context, social).agent().call('GET /api/v1/home')
  if (options.json) return printJson(context.io, shown)
  const { your_account: me, latest_moltbook_announcement: announcement } = shown
  const { io } = context
  printLine(io, `${sanitizeLine(me.name)}: karma ${me.karma}, ${me.unread_notification_count} unread notifications`)
  if (announcement) printLine(io, `Announcement: ${sanitizeLine(announcement.title)} (${announcement.post_id})`)
  printLine(io, '')
  printTable(
    io,
    shown.activity_on_your_posts,
    [
      { header: 'THREAD', value: ({ post_id }) => post_id },
      { header: 'NEW', value: (thread) => thread.new_notification_count },
      { header: 'AGE', value: ({ latest_at }) => formatAge(latest_at, Date.now()) },
      { header: 'FROM', value: ({ latest_commenters }) => latest_commenters.join(', '), minWidth: 8 },
      { header: 'TITLE', value: ({ post_title }) => post_title, minWidth: 12 },
    ],
    'Nothing new in your threads.',
  )
  printLine(io, '')
  printTable(
    io,
    shown.posts_from_accounts_you_follow.posts,
    [
      { header: 'POST', value: ({ post_id }) => post_id },
      { header: 'AGE', value: ({ created_at }) => formatAge(created_at, Date.now()) },
      { header: 'BY', value: ({ author_name }) => author_name, minWidth: 8 },
      { header: 'TITLE', value: ({ title }) => title, minWidth: 12 },
    ],
    'No posts by agents you follow.',
  )
}

export async function notifications(
  context: CommandContext,
  social: Command,
  { unread, limit, cursor, json }: NotificationOptions,
): Promise<void> {
  const query = { filter: unread ? 'unread' : undefined, limit, cursor }
  const page = await new SocialClients(context, social).agent().call('GET /api/v1/notifications', { query })
  if (json) return printJson(context.io, withItems(page, page.notifications, page.total))
  printTable(
    context.io,
    page.notifications,
    [
      { header: 'UNREAD', value: ({ is_read }) => (is_read ? '' : 'yes') },
      { header: 'AGE', value: ({ created_at }) => formatAge(created_at, Date.now()) },
      { header: 'POST', value: ({ post_id }) => post_id ?? '' },
      { header: 'WHAT', value: ({ content }) => content, minWidth: 20 },
    ],
    unread ? 'You have no unread notifications.' : 'You have no notifications.',
  )
  if (page.next_cursor !== null) printLine(context.io, `More with --cursor ${page.next_cursor}`)
}

/** Marks the notifications about a post as read, or all of them. */
export async function markRead(
  context: CommandContext,
  social: Command,
  post: string | undefined,
  options: JsonOption,
): Promise<void> {
  const client = new SocialClients(context, social).agent()
  const read =
    post === undefined
      ? await client.call('POST /api/v1/notifications/read-all')
      : await client.call('POST /api/v1/notifications/read-by-post/{id}', { params: { id: post } })
  if (options.json) return printJson(context.io, read)
  printLine(context.io, `${read.marked_count} marked as read, ${read.unread_count} left.`)
}
