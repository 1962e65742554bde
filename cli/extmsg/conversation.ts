import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import type { ConversationRef, ConversationView } from '../../src/connect/extmsg/index.ts'
import { usageError } from '../io/exit.ts'

const KINDS = ['dm', 'room', 'thread'] as const

/** The options that name a conversation instead of what gc calls it. */
export interface ConversationOptions {
  provider?: string
  conversationId?: string
  accountId: string
  kind: string
  scopeId?: string
  parentConversationId?: string
}

export const withConversation = (command: Command): Command =>
  command
    .argument('[conversation]', 'conversation as listed, such as c1; or use the options')
    .option('--provider <provider>', 'messenger, such as slack')
    .option('--conversation-id <id>', 'id of the conversation in the messenger')
    .option('--account-id <id>', 'account in the messenger', 'default')
    .option('--kind <kind>', 'dm, room or thread', 'dm')
    .option('--scope-id <name>', 'scope of the conversation; default is the city')
    .option('--parent-conversation-id <id>', 'room of a thread')

/** A conversation as gc knows it. */
export const findConversation = (city: CityClient, id: string): Promise<ConversationView> =>
  city.call('GET ~/extmsg/conversation/{id}', { params: { id } })

/** The conversation that a command names. */
export async function conversationOf(
  city: CityClient,
  id: string | undefined,
  options: ConversationOptions,
): Promise<ConversationRef> {
  if (id !== undefined) return (await findConversation(city, id)).conversation
  const { provider, conversationId, accountId, scopeId = city.name, parentConversationId } = options
  if (!provider || !conversationId) {
    throw usageError('name the conversation, as `gc extmsg list` does, or give --provider and --conversation-id')
  }
  const kind = KINDS.find((known) => known === options.kind)
  if (kind === undefined) throw usageError(`--kind may be ${KINDS.join(', ')}, not ${options.kind}`)
  return {
    ...{ scope_id: scopeId, provider, account_id: accountId, conversation_id: conversationId, kind },
    ...(parentConversationId && { parent_conversation_id: parentConversationId }),
  }
}

/** Name of a conversation on a line. */
export const describe = ({ provider, account_id, conversation_id }: ConversationRef): string =>
  `${provider}/${account_id}/${conversation_id}`
