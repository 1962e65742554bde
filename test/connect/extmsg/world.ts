import type { ConversationRef, ExternalInboundMessage } from '../../../src/connect/extmsg/schema.ts'
import { human } from '../../../src/http/guard.ts'
import type { ScriptedTown } from '../../support/city.ts'
import { openWork } from '../../work/world.ts'

export { human }

/** A conversation of the account `acct` of the messenger `chat`. */
export const conversation = (id: string, fields: Partial<ConversationRef> = {}): ConversationRef => ({
  ...{ scope_id: 'mill', provider: 'chat', account_id: 'acct', conversation_id: id, kind: 'dm' },
  ...fields,
})

/** A message that Ann writes. */
export const message = (
  id: string,
  to: string | ConversationRef,
  fields: Partial<ExternalInboundMessage> = {},
): ExternalInboundMessage => ({
  provider_message_id: id,
  conversation: typeof to === 'string' ? conversation(to) : to,
  actor: { id: 'u1', display_name: 'Ann', is_bot: false },
  text: `this is ${id}`,
  received_at: '2026-11-22T08:00:00.000Z',
  ...fields,
})

/** A city with sessions that talk to people outside. */
export async function openTalk(options: { toml?: string; town?: ScriptedTown } = {}) {
  const work = await openWork(options)
  const { externalMessages: talk } = work
  return {
    ...work,
    talk,
    /** A message comes in. */
    receive: (...parts: Parameters<typeof message>) => talk.inbound.post(human, { message: message(...parts) }),
    bind: (id: string, session: string) =>
      talk.bindings.bind(human, { conversation: conversation(id), session_id: session }),
    /** The texts of a conversation, oldest first. */
    transcript: (id: string, kind: ConversationRef['kind'] = 'dm') =>
      talk.transcripts.list(conversation(id, { kind })).items?.map(({ Text }) => Text),
    /** The reminders of sessions that were not withdrawn, oldest first. */
    reminders: () => work.nudges().filter(({ name, state }) => name?.startsWith('extmsg-') && state !== 'failed'),
  }
}
