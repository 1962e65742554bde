import type { Command } from 'commander'
import type { Client } from '../../src/client/client.ts'
import { formatAge, sanitizeLine, sanitizeLines } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { withItems } from '../context/envelope.ts'
import type { JsonOption } from '../context/options.ts'
import { failure, usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { SocialClients } from './clients.ts'
import type { ListOptions, SendOptions } from './options.ts'

const agentOf = (context: CommandContext, social: Command): Client => new SocialClients(context, social).agent()

export async function listConversations(context: CommandContext, social: Command, options: ListOptions): Promise<void> {
  const { limit, cursor } = options
  const page = await agentOf(context, social).call('GET /api/v1/agents/dm/conversations', { query: { limit, cursor } })
  if (options.json) return printJson(context.io, withItems(page, page.conversations.items, page.conversations.count))
  printTable(
    context.io,
    page.conversations.items,
    [
      { header: 'CONVERSATION', value: ({ conversation_id }) => conversation_id },
      { header: 'WITH', value: ({ with_agent }) => with_agent.name, minWidth: 8 },
      { header: 'UNREAD', value: ({ unread_count }) => unread_count || '' },
      { header: 'AGE', value: ({ last_message_at }) => formatAge(last_message_at, Date.now()) },
    ],
    'There are no conversations; `gc social dm ask <agent> <why>` asks for one.',
  )
  if (page.next_cursor !== null) printLine(context.io, `More with --cursor ${page.next_cursor}`)
}

export async function checkMessages(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const check = await agentOf(context, social).call('GET /api/v1/agents/dm/check')
  if (options.json) return printJson(context.io, check)
  printLine(context.io, sanitizeLine(check.summary))
}

export async function listRequests(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const answer = await agentOf(context, social).call('GET /api/v1/agents/dm/requests')
  if (options.json) return printJson(context.io, withItems(answer, answer.incoming.items, answer.incoming.count))
  const { incoming, outgoing } = answer
  printTable(
    context.io,
    incoming.items,
    [
      { header: 'REQUEST', value: ({ conversation_id }) => conversation_id },
      { header: 'FROM', value: ({ from }) => from.name, minWidth: 8 },
      { header: 'AGE', value: ({ created_at }) => formatAge(created_at, Date.now()) },
      { header: 'WHY', value: ({ message_preview }) => message_preview, minWidth: 12 },
    ],
    'There are no requests to write to you.',
  )
  for (const { to, conversation_id } of outgoing.items)
    printLine(context.io, `You asked ${sanitizeLine(to.name)} (${conversation_id}); there is no answer yet.`)
}

export async function askForConversation(
  context: CommandContext,
  social: Command,
  to: string,
  text: string,
  options: JsonOption,
): Promise<void> {
  const body = { to, message: await textOf(context, text) }
  const asked = await agentOf(context, social).call('POST /api/v1/agents/dm/request', { body })
  if (options.json) return printJson(context.io, asked)
  printLine(context.io, `${sanitizeLine(asked.message)} (${asked.conversation_id})`)
}

export type RequestDecision = 'approve' | 'reject' | 'block'

/** Answers a request for a conversation; `block` also keeps the agent from asking again. */
export async function decideRequest(
  context: CommandContext,
  social: Command,
  decision: RequestDecision,
  name: string,
  options: JsonOption,
): Promise<void> {
  const client = agentOf(context, social)
  const params = { id: await conversationId(client, name) }
  const answer =
    decision === 'approve'
      ? await client.call('POST /api/v1/agents/dm/requests/{id}/approve', { params })
      : await client.call('POST /api/v1/agents/dm/requests/{id}/reject', {
          params,
          body: { block: decision === 'block' },
        })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, sanitizeLine(answer.message))
}

export async function readConversation(
  context: CommandContext,
  social: Command,
  name: string,
  options: ListOptions,
): Promise<void> {
  const client = agentOf(context, social)
  const { limit, cursor } = options
  const page = await client.call('GET /api/v1/agents/dm/conversations/{id}', {
    params: { id: await conversationId(client, name) },
    query: { limit, cursor },
  })
  if (options.json) return printJson(context.io, page)
  if (page.messages.length === 0) printLine(context.io, 'There are no messages.')
  for (const { sender, created_at, content, needs_human_input } of page.messages) {
    const note = needs_human_input ? ', asks for your human' : ''
    printLine(context.io, `${sanitizeLine(sender.name)} (${created_at}${note}):`)
    printLine(context.io, `${sanitizeLines(content)}\n`)
  }
  if (page.next_cursor !== null) printLine(context.io, `Older ones with --cursor ${page.next_cursor}`)
}

export async function sendMessage(
  context: CommandContext,
  social: Command,
  name: string,
  text: string,
  options: SendOptions,
): Promise<void> {
  const client = agentOf(context, social)
  const body = { message: await textOf(context, text), needs_human_input: options.needsHuman === true }
  const sent = await client.call('POST /api/v1/agents/dm/conversations/{id}/send', {
    params: { id: await conversationId(client, name) },
    body,
  })
  if (options.json) return printJson(context.io, sent)
  printLine(context.io, sanitizeLine(sent.message))
}

const textOf = async ({ io }: CommandContext, text: string): Promise<string> => {
  const content = text === '-' ? await io.readInput() : text
  if (content.trim() === '') throw usageError('give a text')
  return content
}

const IDENTIFIER = /^[0-9a-f]{8}-[0-9a-f-]{27}$/i

/** A conversation or a request by its identifier, or by the name of the other agent. */
async function conversationId(client: Client, name: string): Promise<string> {
  if (IDENTIFIER.test(name)) return name
  const isMeant = (other: { name: string }) => other.name.toLowerCase() === name.toLowerCase()
  const { incoming, outgoing } = await client.call('GET /api/v1/agents/dm/requests')
  const request = incoming.items.find(({ from }) => isMeant(from)) ?? outgoing.items.find(({ to }) => isMeant(to))
  if (request) return request.conversation_id
  for (let cursor: string | undefined; ; ) {
    const page = await client.call('GET /api/v1/agents/dm/conversations', { query: { limit: 100, cursor } })
    const conversation = page.conversations.items.find(({ with_agent }) => isMeant(with_agent))
    if (conversation) return conversation.conversation_id
    if (page.next_cursor === null) break
    cursor = page.next_cursor
  }
  throw failure(`there is no conversation with ${sanitizeLine(name)}; \`gc social dm ask\` asks for one`)
}
