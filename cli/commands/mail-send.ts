import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { plain } from '../../src/client/text.ts'
import type { MailReplyInputBody, Message } from '../../src/work/mail/schema.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { misuse } from '../io/exit.ts'
import { json, line } from '../io/io.ts'
import { envelope } from './mailbox.ts'

interface Send extends Json {
  subject?: string
  message?: string
  to?: string
  from?: string
  all?: true
  notify?: true
}

const SUBJECT_CUT = 80

export function sendCommand(mail: Command, here: Here): void {
  withJson(mail.command('send').description('send a message; running sessions it is for are told of it'))
    .argument('[to]', 'a session, an agent or human')
    .argument('[body]', '`-` reads it from standard input')
    .option('-s, --subject <text>', 'absent: the first line of the body')
    .option('-m, --message <text>', 'the body')
    .option('--to <who>', 'the same as the first word')
    .option('--from <name>', 'one of a session’s own names; for a person, a label')
    .option('--all', 'to every running session')
    .option('--notify', 'accepted: a running session is always told')
    .action((first: string | undefined, second: string | undefined, options: Send) =>
      send(here, first, second, options),
    )
}

async function send(here: Here, first: string | undefined, second: string | undefined, options: Send): Promise<void> {
  const named = options.to ?? (options.all ? undefined : first)
  const text = options.message ?? (named === first ? second : (second ?? first)) ?? ''
  const body = text === '-' ? await here.io.read() : text
  const subject = options.subject?.trim() || firstLine(body)
  if (!subject) throw misuse('say something: a subject with -s, a body with -m')
  const city = await here.city()
  const recipients = options.all ? await everyone(here, city) : [named ?? '']
  if (!options.all && !named) throw misuse('say for whom: `gc mail send <to> -s <subject> -m <text>`')
  const messages: Message[] = []
  const from = options.from === undefined ? {} : { from: options.from }
  for (const to of recipients) messages.push(await city.call('POST ~/mail', { body: { to, subject, body, ...from } }))
  told(here, 'send', messages, options)
}

/** Every running session but the one that sends. */
async function everyone({ io }: Here, city: CityClient): Promise<string[]> {
  const { items } = await city.call('GET ~/sessions', { query: { state: 'active', limit: 1000 } })
  return items.map(({ id }) => id).filter((id) => id !== io.env.GC_SESSION_ID)
}

const firstLine = (body: string): string =>
  [...(body.trim().split('\n')[0] ?? '').trim()].slice(0, SUBJECT_CUT).join('')

function told({ io }: Here, verb: 'send' | 'reply', messages: readonly Message[], options: Send): void {
  const [only, ...others] = messages
  const single = only && others.length === 0 ? { id: only.id, message: only } : {}
  const notified = options.notify ? { notified: true } : {}
  if (options.json) {
    json(io, envelope(verb, { action: verb, ...single, messages, count: messages.length, ...notified }))
    return
  }
  for (const { id, to } of messages) line(io, `Sent ${id} to ${plain(to)}.`)
  if (!only) line(io, 'No session runs; nothing was sent.')
}

export function replyCommand(mail: Command, here: Here): void {
  withJson(mail.command('reply').description('answer a message; its sender gets the reply'))
    .argument('<mail>')
    .argument('[body]', '`-` reads it from standard input')
    .option('-s, --subject <text>', 'absent: `Re:` and the subject that is answered')
    .option('-m, --message <text>', 'the body')
    .option('--from <name>', 'one of a session’s own names; for a person, a label')
    .option('--notify', 'accepted: a running session is always told')
    .action(async (id: string, text: string | undefined, options: Send) => {
      const said = options.message ?? text ?? ''
      const body: MailReplyInputBody = {
        body: said === '-' ? await here.io.read() : said,
        ...(options.subject !== undefined && { subject: options.subject }),
        ...(options.from !== undefined && { from: options.from }),
      }
      const city = await here.city()
      told(here, 'reply', [await city.call('POST ~/mail/{id}/reply', { params: { id }, body })], options)
    })
}
