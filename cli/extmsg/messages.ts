import { randomUUID } from 'node:crypto'
import type { Command } from 'commander'
import { sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { ConversationTranscriptRecord, ConversationView, PublishReceipt } from '../../src/connect/extmsg/index.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { failure, usageError } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { findConversation } from './conversation.ts'

interface Send extends JsonOption {
  session?: string
  replyTo?: string
  key?: string
}

interface Transcript extends JsonOption {
  limit: number
  after?: number
}

export function messageCommands(extmsg: Command, context: CommandContext): void {
  withJson(extmsg.command('send').description('send a message to a conversation'))
    .argument('<conversation>', 'conversation as listed, such as c1')
    .argument('<text>', '`-` reads it from standard input')
    .option('--session <session>', 'sender; default is the bound session')
    .option('--reply-to <id>', 'message to reply to, by its id in the messenger')
    .option('--key <key>', 'idempotency key: repeated commands send one message')
    .action((id: string, text: string, options: Send) => send(context, id, text, options))
  withWatch(withJson(extmsg.command('transcript').description('show the newest messages of a conversation')))
    .argument('<conversation>')
    .option('--limit <n>', 'maximum rows, up to 500', parseCount, 50)
    .option('--after <number>', 'only after this message', parseCount)
    .action(watched(context, transcript))
  withJson(extmsg.command('ack').description('mark a conversation as read by a session'))
    .argument('<conversation>')
    .argument('<number>', 'number of the last message read', parseCount)
    .option('--session <session>', 'session; default is this session')
    .action((id: string, sequence: number, options: JsonOption & { session?: string }) =>
      acknowledge(context, id, sequence, options),
    )
}

async function send(context: CommandContext, id: string, given: string, options: Send): Promise<void> {
  const { io } = context
  const text = given === '-' ? await io.readInput() : given
  if (text.trim() === '') throw usageError('the message has no text')
  const city = await context.city()
  const view = await findConversation(city, id)
  const result = await city.call('POST ~/extmsg/outbound', {
    body: {
      session_id: senderOf(io, view, options.session),
      conversation: view.conversation,
      text,
      ...(options.replyTo !== undefined && { reply_to_message_id: options.replyTo }),
      // A command that is sent again after its connection broke must not send another message.
      idempotency_key: options.key ?? randomUUID(),
    },
  })
  const { Receipt: receipt } = result
  if (options.json) printJson(io, result)
  if (!receipt.Delivered) throw failure(explain(receipt))
  if (!options.json) printLine(io, `Sent to ${id} as message ${result.TranscriptEntry?.Sequence ?? ''}.`)
}

function senderOf({ env }: Io, { id, binding, group_id }: ConversationView, session: string | undefined): string {
  const sender = session ?? (env.GC_SESSION_ID || binding?.SessionID || binding?.AgentName)
  if (sender) return sender
  if (group_id === undefined)
    throw failure(`no session answers ${id}; bind one with \`gc extmsg bind ${id} --session <session>\``)
  throw usageError(`several sessions may answer ${id}; choose one with --session`)
}

const REASONS: Readonly<Record<string, string>> = {
  unsupported: 'its adapter only receives; register it with a callback_url',
  auth: 'the messenger rejects the login of the adapter; check the adapter',
  rate_limited: 'the messenger takes no more for now; send it again later',
  transient: 'the adapter cannot take it now; send it again later',
  permanent: 'the messenger does not take this message; change it',
  not_found: 'the messenger no longer has the conversation',
  unknown: 'no answer came: it may have arrived. Ask there before you send it again',
}

const explain = ({ FailureKind, RetryAfter }: PublishReceipt): string => {
  const wait = RetryAfter > 0 ? ` (in ${Math.ceil(RetryAfter / 1e9)} s)` : ''
  return `The message was not delivered: ${REASONS[FailureKind] ?? FailureKind}${wait}.`
}

async function transcript(context: CommandContext, id: string, options: Transcript): Promise<void> {
  const city = await context.city()
  const { conversation } = await findConversation(city, id)
  const { after, limit } = options
  const page = await city.call('GET ~/extmsg/transcript', {
    query: { ...conversation, limit, order: 'desc', ...(after !== undefined && { after_sequence: after }) },
  })
  const items = page.items.toReversed()
  if (options.json) return printJson(context.io, { ...page, items })
  for (const message of items) printMessage(context.io, message)
  if (items.length === 0) printLine(context.io, `Conversation ${id} has no messages.`)
}

function printMessage(
  io: Io,
  { Sequence, CreatedAt, Actor, SourceSessionID, Text, Attachments }: ConversationTranscriptRecord,
): void {
  const author = SourceSessionID || Actor.display_name || Actor.id || 'somebody'
  const files = Attachments?.length ? ` (${Attachments.length} attached)` : ''
  printLine(io, `${Sequence}  ${CreatedAt}  ${sanitizeLine(author)}${files}`)
  printLine(io, sanitizeLines(Text).replace(/^/gm, '   '))
}

async function acknowledge(
  context: CommandContext,
  id: string,
  sequence: number,
  { session, json }: JsonOption & { session?: string },
): Promise<void> {
  const city = await context.city()
  const view = await findConversation(city, id)
  const { conversation } = view
  const session_id = senderOf(context.io, view, session)
  const result = await city.call('POST ~/extmsg/transcript/ack', { body: { session_id, conversation, sequence } })
  if (json) return printJson(context.io, result)
  printLine(context.io, `Conversation ${id} is read up to message ${sequence}.`)
}
