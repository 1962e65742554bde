import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { plain } from '../../src/client/text.ts'
import type { Message } from '../../src/work/mail/schema.ts'
import type { Here } from '../context/context.ts'
import { count, type Json, withJson } from '../context/options.ts'
import { misuse } from '../io/exit.ts'
import { json, line } from '../io/io.ts'
import { envelope, recipientOf } from './mailbox.ts'

type OnOne =
  | 'POST ~/mail/{id}/read'
  | 'POST ~/mail/{id}/mark-unread'
  | 'DELETE ~/mail/{id}'
  | 'POST ~/mail/{id}/archive'

/** A command that does the same to each message it is given. */
export function each(mail: Command, here: Here, verb: string, about: string, operation: OnOne, then: string): void {
  withJson(mail.command(verb).description(about))
    .argument('<mail...>')
    .action(async (ids: string[], options: Json) => {
      const city = await here.city()
      for (const id of ids) {
        await city.call(operation, { params: { id } })
        if (!options.json) line(here.io, `Message ${id} ${then}.`)
      }
      if (options.json) json(here.io, envelope(verb, { action: verb, ids, count: ids.length }))
    })
}

interface Archive extends Json {
  to?: string
  from?: string
  subjectPrefix?: string
  subjectContains?: string
  emptyBody?: true
  includeRead?: true
  allRecipients?: true
  limit: number
  dryRun?: true
}

export function archiveCommand(mail: Command, here: Here): void {
  withJson(mail.command('archive').description('take mail out of every list: by id, or all that the filters fit'))
    .argument('[mail...]')
    .option('--to <who>', 'mail for them; inside a session, its own when absent')
    .option('--from <who>', 'sent by exactly this name')
    .option('--subject-prefix <text>')
    .option('--subject-contains <text>')
    .option('--empty-body', 'without a body')
    .option('--include-read', 'mail that was read too')
    .option('--all-recipients', 'whoever it is for')
    .option('--limit <n>', 'at most so many', count, 100)
    .option('--dry-run', 'only say which')
    .action((ids: string[], options: Archive) => archive(here, ids, options))
}

async function archive(here: Here, told: string[], options: Archive): Promise<void> {
  const city = await here.city()
  const ids = told.length > 0 ? told : (await fitting(here, city, options)).map(({ id }) => id)
  for (const id of ids) {
    if (!options.dryRun) await city.call('POST ~/mail/{id}/archive', { params: { id } })
    if (!options.json) line(here.io, options.dryRun ? `${plain(id)} would be archived.` : `Archived ${plain(id)}.`)
  }
  const dry = options.dryRun ? { dry_run: true } : {}
  if (options.json) return json(here.io, envelope('archive', { action: 'archive', ids, count: ids.length, ...dry }))
  if (ids.length === 0) line(here.io, 'No mail fits.')
}

/** The mail that all filters fit; without any filter nothing is meant. */
async function fitting(here: Here, city: CityClient, options: Archive): Promise<Message[]> {
  const { from, subjectPrefix, subjectContains, emptyBody, includeRead, allRecipients, to, limit } = options
  const filters = [from, subjectPrefix, subjectContains, emptyBody, includeRead, allRecipients, to]
  if (filters.every((filter) => filter === undefined)) throw misuse('say which: ids, or filters such as --from')
  const agent = allRecipients ? undefined : recipientOf(here, to)
  const found: Message[] = []
  let cursor: string | undefined
  do {
    const query = { agent, status: includeRead ? 'all' : 'unread', limit: 1000, cursor }
    const page = await city.call('GET ~/mail', { query })
    found.push(...page.items.filter((message) => fits(message, options)))
    cursor = page.next_cursor
  } while (cursor && found.length < limit)
  return found.slice(0, limit)
}

const fits = (message: Message, { from, subjectPrefix = '', subjectContains = '', emptyBody }: Archive): boolean =>
  (from === undefined || message.from === from) &&
  message.subject.startsWith(subjectPrefix) &&
  message.subject.includes(subjectContains) &&
  (!emptyBody || message.body.trim() === '')
