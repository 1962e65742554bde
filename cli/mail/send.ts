import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { MailReplyInputBody, Message } from '../../src/work/mail/index.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { mailEnvelope } from './mailbox.ts'

interface Send extends JsonOption {
  subject?: string
  message?: string
  to?: string
  from?: string
  all?: true
  human?: true
  notify?: true
}

const MAX_SUBJECT = 80

export function sendCommand(mail: Command, context: CommandContext): void {
  withJson(mail.command('send').description('send a message; a running session is notified'))
    .argument('[who]', 'session, agent or human')
    .argument('[body]', '`-` reads it from standard input')
    .option('-s, --subject <text>', 'subject; default is the first line of the body')
    .option('-m, --message <text>', 'text of the message')
    .option('--to <who>', 'recipient, instead of the argument')
    .option('--from <who>', 'sender: one of a session’s own names, or your label')
    .option('--human', 'send to the operator; same as --to human')
    .option('--all', 'send to every running session')
    .option('--notify', 'accepted; a running session is always notified')
    .action((first: string | undefined, second: string | undefined, options: Send) =>
      send(context, first, second, options),
    )
}

async function send(
  context: CommandContext,
  first: string | undefined,
  second: string | undefined,
  options: Send,
): Promise<void> {
  const named = options.to ?? (options.human ? 'human' : options.all ? undefined : first)
  const text = options.message ?? (named === first ? second : (second ?? first)) ?? ''
  const body = text === '-' ? await context.io.readInput() : text
  const subject = options.subject?.trim() || firstLine(body)
  if (!subject) throw usageError('give a subject with -s or a body with -m')
  const city = await context.city()
  const recipients = options.all ? await runningSessions(context, city) : [named ?? '']
  if (!options.all && !named) throw usageError('name the recipient: `gc mail send <who> -s <subject> -m <text>`')
  const messages: Message[] = []
  const from = options.from === undefined ? {} : { from: options.from }
  for (const to of recipients) messages.push(await city.call('POST ~/mail', { body: { to, subject, body, ...from } }))
  reportSent(context, 'send', messages, options)
}

/** Every running session except the sender. */
async function runningSessions({ io }: CommandContext, city: CityClient): Promise<string[]> {
  const { items } = await city.call('GET ~/sessions', { query: { state: 'active', limit: 1000 } })
  return items.map(({ id }) => id).filter((id) => id !== io.env.GC_SESSION_ID)
}

const firstLine = (body: string): string =>
  [...(body.trim().split('\n')[0] ?? '').trim()].slice(0, MAX_SUBJECT).join('')

function reportSent({ io }: CommandContext, verb: 'send' | 'reply', messages: readonly Message[], options: Send): void {
  const [only, ...others] = messages
  const single = only && others.length === 0 ? { id: only.id, message: only } : {}
  const notified = options.notify ? { notified: true } : {}
  if (options.json) {
    printJson(io, mailEnvelope(verb, { action: verb, ...single, messages, count: messages.length, ...notified }))
    return
  }
  for (const { id, to } of messages) printLine(io, `Sent ${id} to ${sanitizeLine(to)}.`)
  if (!only) printLine(io, 'No sessions are running; nothing was sent.')
}

export function replyCommand(mail: Command, context: CommandContext): void {
  withJson(mail.command('reply').description('reply to the sender of a message'))
    .argument('<mail>')
    .argument('[body]', '`-` reads it from standard input')
    .option('-s, --subject <text>', 'subject; default is `Re:` and the original subject')
    .option('-m, --message <text>', 'text of the message')
    .option('--from <who>', 'sender: one of a session’s own names, or your label')
    .option('--notify', 'accepted; a running session is always notified')
    .action(async (id: string, text: string | undefined, options: Send) => {
      const given = options.message ?? text ?? ''
      const body: MailReplyInputBody = {
        body: given === '-' ? await context.io.readInput() : given,
        ...(options.subject !== undefined && { subject: options.subject }),
        ...(options.from !== undefined && { from: options.from }),
      }
      const city = await context.city()
      reportSent(context, 'reply', [await city.call('POST ~/mail/{id}/reply', { params: { id }, body })], options)
    })
}
