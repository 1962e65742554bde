import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { watched, withWatch } from '../context/watch.ts'
import { printJson, printLine } from '../io/io.ts'
import { type ConversationOptions, conversationOf, describe, withConversation } from './conversation.ts'

interface Ensure extends JsonOption, ConversationOptions {
  default?: string
}

interface Participant extends JsonOption {
  session: string
  public?: true
}

/** Conversations that several sessions answer. */
export function groupCommands(extmsg: Command, context: CommandContext): void {
  const group = extmsg.command('group').description('manage conversations shared by several sessions')
  withJson(withConversation(group.command('create').description('create a group, or change its default')))
    .option('--default <handle>', 'recipient of messages without a handle')
    .action((id: string | undefined, options: Ensure) => create(context, id, options))
  withWatch(withJson(withConversation(group.command('show').description('show the group of a conversation')))).action(
    watched(context, show),
  )
  withJson(group.command('add').description('add a session to a group'))
    .argument('<group>')
    .argument('<handle>', 'handle of the session, without @')
    .requiredOption('--session <session>', 'session that replies')
    .option('--public', 'show it to people in the conversation')
    .action((id: string, handle: string, options: Participant) => add(context, id, handle, options))
  withJson(group.command('remove').description('remove a session from a group'))
    .argument('<group>')
    .argument('<handle>')
    .action((id: string, handle: string, options: JsonOption) => remove(context, id, handle, options))
}

async function create(context: CommandContext, id: string | undefined, options: Ensure): Promise<void> {
  const city = await context.city()
  const group = await city.call('POST ~/extmsg/groups', {
    body: {
      root_conversation: await conversationOf(city, id, options),
      ...(options.default !== undefined && { default_handle: options.default }),
    },
  })
  if (options.json) return printJson(context.io, group)
  const next = `\`gc extmsg group add ${group.ID} <handle> --session <session>\` adds who answers`
  printLine(context.io, sanitizeLine(`${describe(group.RootConversation)} is group ${group.ID}; ${next}.`))
}

async function show(
  context: CommandContext,
  id: string | undefined,
  options: JsonOption & ConversationOptions,
): Promise<void> {
  const city = await context.city()
  const { parent_conversation_id: _, ...ref } = await conversationOf(city, id, options)
  const group = await city.call('GET ~/extmsg/groups', { query: ref })
  if (options.json) return printJson(context.io, group)
  const { ID, RootConversation, DefaultHandle, LastAddressedHandle } = group
  const handles = `default ${DefaultHandle || 'nobody'}, addressed last ${LastAddressedHandle || 'nobody'}`
  printLine(context.io, sanitizeLine(`${ID}: ${describe(RootConversation)}, ${handles}`))
}

async function add(context: CommandContext, id: string, handle: string, options: Participant): Promise<void> {
  const city = await context.city()
  const participant = await city.call('POST ~/extmsg/participants', {
    body: { group_id: id, handle, session_id: options.session, ...(options.public && { public: true }) },
  })
  if (options.json) return printJson(context.io, participant)
  const { Handle, SessionName, SessionID } = participant
  printLine(context.io, sanitizeLine(`${SessionName || SessionID} answers in ${id} as ${Handle}.`))
}

async function remove(context: CommandContext, id: string, handle: string, options: JsonOption): Promise<void> {
  const city = await context.city()
  const result = await city.call('DELETE ~/extmsg/participants', { body: { group_id: id, handle } })
  if (options.json) return printJson(context.io, result)
  printLine(context.io, sanitizeLine(`No session answers in ${id} as ${handle} now.`))
}
