import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { Message } from '../../src/work/mail/index.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { readItems } from '../context/pages.ts'
import { notFound, usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { defaultRecipient, mailEnvelope } from './mailbox.ts'

type MessageOperation =
  | 'POST ~/mail/{id}/read'
  | 'POST ~/mail/{id}/mark-unread'
  | 'DELETE ~/mail/{id}'
  | 'POST ~/mail/{id}/archive'

/** Defines a command that applies an operation to each message. */
export function messageCommand(
  mail: Command,
  context: CommandContext,
  verb: string,
  description: string,
  operation: MessageOperation,
  result: string,
): void {
  withJson(mail.command(verb).description(description))
    .argument('<mail...>')
    .action(async (ids: string[], options: JsonOption) => {
      const city = await context.city()
      await requireMail(city, ids)
      for (const id of ids) {
        await city.call(operation, { params: { id } })
        if (!options.json) printLine(context.io, `Message ${id} ${result}.`)
      }
      if (options.json) printJson(context.io, mailEnvelope(verb, { action: verb, ids, count: ids.length }))
    })
}

/** Throws unless every message is there or was; taking one out of the lists that never was succeeds on the wire. */
async function requireMail(city: CityClient, ids: readonly string[]): Promise<void> {
  for (const id of ids) {
    await city.call('GET ~/bead/{id}', { params: { id } }).catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.status !== 404) throw error
      throw notFound('mail-not-found', `there is no message ${id}; \`gc mail list --all\` lists valid names`)
    })
  }
}

interface Archive extends JsonOption {
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

export function archiveCommand(mail: Command, context: CommandContext): void {
  withJson(mail.command('archive').description('archive mail, by id or by filters'))
    .argument('[mail...]')
    .option('--to <who>', 'only mail to this recipient; default in a session is itself')
    .option('--from <who>', 'only mail from this sender')
    .option('--subject-prefix <text>', 'only mail whose subject starts with this')
    .option('--subject-contains <text>', 'only mail whose subject contains this')
    .option('--empty-body', 'only mail without a body')
    .option('--include-read', 'include read mail')
    .option('--all-recipients', 'include mail to all recipients')
    .option('--limit <n>', 'maximum rows', parseCount, 100)
    .option('--dry-run', 'list matches and change nothing')
    .action((ids: string[], options: Archive) => archive(context, ids, options))
}

async function archive(context: CommandContext, named: string[], options: Archive): Promise<void> {
  const city = await context.city()
  await requireMail(city, named)
  const ids = named.length > 0 ? named : (await findMatches(context, city, options)).map(({ id }) => id)
  for (const id of ids) {
    if (!options.dryRun) await city.call('POST ~/mail/{id}/archive', { params: { id } })
    if (!options.json)
      printLine(context.io, options.dryRun ? `${sanitizeLine(id)} would be archived.` : `Archived ${sanitizeLine(id)}.`)
  }
  const dry = options.dryRun ? { dry_run: true } : {}
  if (options.json)
    return printJson(context.io, mailEnvelope('archive', { action: 'archive', ids, count: ids.length, ...dry }))
  if (ids.length === 0) printLine(context.io, 'No mail matches.')
}

/** The mail that matches all filters; throws without any filter. */
async function findMatches(context: CommandContext, city: CityClient, options: Archive): Promise<Message[]> {
  const { from, subjectPrefix, subjectContains, emptyBody, includeRead, allRecipients, to, limit } = options
  const filters = [from, subjectPrefix, subjectContains, emptyBody, includeRead, allRecipients, to]
  if (filters.every((filter) => filter === undefined)) throw usageError('give ids, or filters such as --from')
  const agent = allRecipients ? undefined : defaultRecipient(context, to)
  const query = { agent, status: includeRead ? 'all' : 'unread', limit: 1000 }
  return readItems(async (cursor) => {
    const page = await city.call('GET ~/mail', { query: { ...query, cursor } })
    return { ...page, items: page.items.filter((message) => isMatch(message, options)) }
  }, limit)
}

const isMatch = (message: Message, { from, subjectPrefix = '', subjectContains = '', emptyBody }: Archive): boolean =>
  (from === undefined || message.from === from) &&
  message.subject.startsWith(subjectPrefix) &&
  message.subject.includes(subjectContains) &&
  (!emptyBody || message.body.trim() === '')
