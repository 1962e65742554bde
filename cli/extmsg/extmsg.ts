import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { ApiError } from '../../src/client/errors.ts'
import { formatAge, sanitizeLine } from '../../src/client/text.ts'
import type { ConversationView, SessionBindingRecord } from '../../src/connect/extmsg/index.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { type ConversationOptions, conversationOf, describe, withConversation } from './conversation.ts'
import { groupCommands } from './group.ts'
import { messageCommands } from './messages.ts'

export function externalMessageCommands(program: Command, context: CommandContext): void {
  const extmsg = program.command('extmsg').description('manage conversations in messengers')
  withWatch(withJson(extmsg.command('list').description('list conversations and their sessions')))
    .option('--session <session>', 'only those bound to this session')
    .action(watched(context, list))
  withWatch(withJson(extmsg.command('adapters').description('list registered messenger adapters'))).action(
    watched(context, adapters),
  )
  withJson(withConversation(extmsg.command('bind').description('bind a conversation to a session or an agent')))
    .option('--session <session>', 'session that replies')
    .option('--agent <agent>', 'agent whose session replies; gc starts it on a message')
    .option('--replace', 'replace its current session')
    .action((id: string | undefined, options: Bind) => bind(context, id, options))
  withJson(withConversation(extmsg.command('handoff').description('hand a conversation to another session or agent')))
    .requiredOption('--to <who>', 'session or agent that replies from now on')
    .action((id: string | undefined, options: Handoff) => handoff(context, id, options))
  withJson(withConversation(extmsg.command('unbind').description('unbind a conversation')))
    .option('--session <session>', 'all conversations of this session')
    .option('--agent <agent>', 'all conversations of this agent')
    .action((id: string | undefined, options: Unbind) => unbind(context, id, options))
  messageCommands(extmsg, context)
  groupCommands(extmsg, context)
}

interface Unbind extends JsonOption, ConversationOptions {
  session?: string
  agent?: string
}
interface Bind extends Unbind {
  replace?: true
}
interface Handoff extends JsonOption, ConversationOptions {
  to: string
}

async function list(context: CommandContext, { session, json }: JsonOption & { session?: string }): Promise<void> {
  const city = await context.city()
  if (session !== undefined) return listOfSession(context, city, session, json)
  const page = await city.call('GET ~/extmsg/conversations', { query: { limit: 1000 } })
  if (json) return printJson(context.io, page)
  const now = Date.now()
  printTable(
    context.io,
    page.items,
    [
      { header: 'ID', value: ({ id }) => id },
      { header: 'MESSENGER', value: ({ conversation }) => conversation.provider },
      { header: 'ACCOUNT', value: ({ conversation }) => conversation.account_id, minWidth: 8 },
      { header: 'CONVERSATION', value: ({ conversation }) => conversation.conversation_id, minWidth: 12 },
      { header: 'KIND', value: ({ conversation }) => conversation.kind },
      { header: 'ANSWERED BY', value: answeredBy, minWidth: 12 },
      { header: 'MESSAGES', value: ({ last_sequence }) => last_sequence },
      { header: 'UPDATED', value: ({ updated_at }) => formatAge(updated_at, now) },
    ],
    'There are no conversations. An adapter of a messenger registers with the city; then `gc extmsg bind` selects the session that answers.',
  )
}

const answeredBy = ({ binding, group_id }: ConversationView): string =>
  binding ? targetOf(binding) : group_id === undefined ? 'nobody' : group_id

const targetOf = ({ AgentName, SessionName, SessionID }: SessionBindingRecord): string =>
  AgentName || SessionName || SessionID

async function listOfSession(
  { io }: CommandContext,
  city: CityClient,
  session: string,
  json: true | undefined,
): Promise<void> {
  const bindings = await city.call('GET ~/extmsg/bindings', { query: { session_id: session } })
  if (json) return printJson(io, bindings)
  printTable(
    io,
    bindings.items,
    [
      { header: 'BINDING', value: ({ ID }) => ID },
      { header: 'CONVERSATION', value: ({ Conversation }) => describe(Conversation), minWidth: 12 },
      { header: 'KIND', value: ({ Conversation }) => Conversation.kind },
      { header: 'SINCE', value: ({ BoundAt }) => BoundAt },
    ],
    `No conversation is bound to ${session}; \`gc extmsg list\` includes those of agents.`,
  )
}

async function adapters(context: CommandContext, { json }: JsonOption): Promise<void> {
  const city = await context.city()
  const all = await city.call('GET ~/extmsg/adapters')
  if (json) return printJson(context.io, all)
  printTable(
    context.io,
    all.items,
    [
      { header: 'MESSENGER', value: ({ provider }) => provider },
      { header: 'ACCOUNT', value: ({ account_id }) => account_id },
      { header: 'NAME', value: ({ name }) => name, minWidth: 8 },
    ],
    'No adapter is registered. Each registers itself when it starts, and again when the city starts.',
  )
}

async function bind(context: CommandContext, id: string | undefined, options: Bind): Promise<void> {
  const { session, agent, replace } = options
  if ((session === undefined) === (agent === undefined)) throw usageError('give --session or --agent, one of them')
  const city = await context.city()
  const binding = await city.call('POST ~/extmsg/bind', {
    body: {
      conversation: await conversationOf(city, id, options),
      ...(session !== undefined && { session_id: await requireSession(city, session) }),
      ...(agent !== undefined && { agent_name: agent }),
      ...(replace && { replace }),
    },
  })
  printBinding(context, binding, options)
}

/** A name that is one of a named session means the agent; any other means a session. */
async function handoff(context: CommandContext, id: string | undefined, options: Handoff): Promise<void> {
  const city = await context.city()
  const conversation = await conversationOf(city, id, options)
  const bindTo = (target: { agent_name: string } | { session_id: string }) =>
    city.call('POST ~/extmsg/bind', { body: { conversation, replace: true, ...target } })
  const binding = await bindTo({ agent_name: options.to }).catch(async (error) => {
    if (!(error instanceof ApiError) || error.status !== 400) throw error
    return bindTo({ session_id: await requireSession(city, options.to) })
  })
  printBinding(context, binding, options)
}

/** The id of a session that exists. */
const requireSession = async (city: CityClient, name: string): Promise<string> =>
  (await city.call('GET ~/session/{id}', { params: { id: name } })).id

function printBinding({ io }: CommandContext, binding: SessionBindingRecord, { json }: JsonOption): void {
  if (json) printJson(io, binding)
  else printLine(io, sanitizeLine(`${targetOf(binding)} answers ${describe(binding.Conversation)}.`))
}

async function unbind(context: CommandContext, id: string | undefined, options: Unbind): Promise<void> {
  const { session, agent } = options
  const isNamed = id !== undefined || options.provider !== undefined || options.conversationId !== undefined
  if (!isNamed && session === undefined && agent === undefined) {
    throw usageError('name the conversation, or give --session or --agent')
  }
  const city = await context.city()
  const result = await city.call('POST ~/extmsg/unbind', {
    body: {
      ...(isNamed && { conversation: await conversationOf(city, id, options) }),
      ...(session !== undefined && { session_id: session }),
      ...(agent !== undefined && { agent_name: agent }),
    },
  })
  if (options.json) return printJson(context.io, result)
  for (const binding of result.unbound ?? []) {
    printLine(context.io, sanitizeLine(`${targetOf(binding)} does not answer ${describe(binding.Conversation)} now.`))
  }
  if (!result.unbound) printLine(context.io, 'Nothing was bound.')
}
