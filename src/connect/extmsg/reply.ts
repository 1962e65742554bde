import { toConversation } from './conversation.ts'
import type { PublishReceipt } from './message-schema.ts'

type Fields = Readonly<Record<string, unknown>>

/** Wire value for no conversation. */
const NO_CONVERSATION = { scope_id: '', provider: '', account_id: '', conversation_id: '', kind: '' }
const MAX_ID = 512
const MAX_METADATA = 64 * 1024

/** Response of an adapter, read as untrusted text; undefined if it is not a JSON object. */
export function readReply(text: string): PublishReceipt | undefined {
  const reply = parseObject(text)
  if (!reply) return undefined
  const delivered = reply.delivered === true
  return {
    MessageID: word(reply.message_id, MAX_ID),
    Conversation: conversationOf(reply.conversation),
    Delivered: delivered,
    FailureKind: delivered ? '' : failureOf(reply.failure_kind),
    RetryAfter: delayOf(reply.retry_after),
    Metadata: metadataOf(reply.metadata),
  }
}

function parseObject(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return asObject(value)
  } catch {
    return undefined
  }
}

const asObject = (value: unknown): Fields | undefined =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : undefined

const word = (value: unknown, most: number): string =>
  typeof value === 'string' ? [...value].slice(0, most).join('') : ''

/** A kind that no one knows says as much as a failure that may pass. */
const failureOf = (value: unknown): string => FAILURE_KINDS.find((known) => known === value) ?? 'transient'

const delayOf = (value: unknown): number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0

/** The conversation that it names; an empty one when it names none. */
function conversationOf(value: unknown): PublishReceipt['Conversation'] {
  const given = asObject(value) ?? {}
  const field = (name: string) => word(given[name], MAX_ID)
  try {
    return toConversation(
      {
        scope_id: field('scope_id'),
        provider: field('provider'),
        account_id: field('account_id'),
        conversation_id: field('conversation_id'),
        parent_conversation_id: field('parent_conversation_id'),
        kind: field('kind'),
      },
      'validation-failed',
    )
  } catch {
    return NO_CONVERSATION
  }
}

function metadataOf(value: unknown): Record<string, string> | null {
  const given = asObject(value)
  if (!given || JSON.stringify(given).length > MAX_METADATA) return null
  const pairs = Object.entries(given).filter((pair): pair is [string, string] => typeof pair[1] === 'string')
  return Object.fromEntries(pairs)
}

/** Reason an adapter did not deliver a message, in the words of the wire. */
const FAILURE_KINDS = ['unsupported', 'auth', 'rate_limited', 'transient', 'permanent', 'not_found'] as const
