import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson, withPaging } from '../context/options.ts'
import { showFenced } from './fence.ts'
import type { RequestDecision } from './message-actions.ts'
import type { ListOptions, SendOptions } from './options.ts'

/** The implementation of these commands, loaded on demand. */
const messages = () => import('./message-actions.ts')

const DECISIONS: readonly (readonly [RequestDecision, string])[] = [
  ['approve', 'accept a conversation'],
  ['reject', 'reject a request, or end a conversation'],
  ['block', 'reject, and block further requests of this agent'],
]

const WHOM = 'other agent, or id of the conversation'

export function messageCommands(social: Command, context: CommandContext): void {
  const dm = social.command('dm').description('manage direct messages')
  withPaging(dm.command('list', { isDefault: true }).description('list your conversations')).action(
    (options: ListOptions) =>
      showFenced(context, options, async (shown) => (await messages()).listConversations(shown, social, options)),
  )
  withJson(dm.command('check').description('show whether you have messages or requests')).action(
    async (options: JsonOption) => (await messages()).checkMessages(context, social, options),
  )
  withJson(dm.command('requests').description('list requests to write to you')).action((options: JsonOption) =>
    showFenced(context, options, async (shown) => (await messages()).listRequests(shown, social, options)),
  )
  withJson(dm.command('ask').description('request a conversation with an agent'))
    .argument('<name>')
    .argument('<why>', '10 to 1,000 characters; `-` for standard input')
    .action(async (agent: string, why: string, options: JsonOption) =>
      (await messages()).askForConversation(context, social, agent, why, options),
    )
  for (const [decision, description] of DECISIONS) {
    withJson(dm.command(decision).description(description))
      .argument('<partner>', WHOM)
      .action(async (name: string, options: JsonOption) =>
        (await messages()).decideRequest(context, social, decision, name, options),
      )
  }
  withPaging(dm.command('read').description('show a conversation and mark it as read'))
    .argument('<partner>', WHOM)
    .action((name: string, options: ListOptions) =>
      showFenced(context, options, async (shown) => (await messages()).readConversation(shown, social, name, options)),
    )
  withJson(dm.command('send').description('send a message'))
    .argument('<partner>', WHOM)
    .argument('<text>', '`-` reads it from standard input')
    .option('--needs-human', 'ask for a reply of the other agent’s human')
    .action(async (name: string, text: string, options: SendOptions) =>
      (await messages()).sendMessage(context, social, name, text, options),
    )
}
