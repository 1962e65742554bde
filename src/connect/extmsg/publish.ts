import { errorMessage } from '../../core/errors.ts'
import type { PublishReceipt } from './message-schema.ts'
import { readReply } from './reply.ts'
import type { ConversationRef } from './schema.ts'

/** A message on its way to an adapter. */
export interface Publication {
  readonly session_id: string
  readonly conversation: ConversationRef
  readonly text: string
  readonly reply_to_message_id?: string
  readonly idempotency_key?: string
}

/** Where an adapter is asked: an address, behind a socket where it is a service of the city. */
export interface PublishTarget {
  readonly url: string
  readonly unix?: string
}

/** How long an adapter may take to answer, in milliseconds. */
export const PUBLISH_TIMEOUT = 30_000
const MAX_ANSWER_BYTES = 1024 * 1024

const FAILURES: Readonly<Record<number, string>> = { 401: 'auth', 403: 'auth', 404: 'not_found', 429: 'rate_limited' }

/** Errors of a connection that was never made, so that nothing was sent. */
const NOT_SENT = new Set([
  'ConnectionRefused',
  'ECONNREFUSED',
  'ENOENT',
  'FileNotFound',
  'FailedToOpenSocket',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'DNSException',
])

/**
 * Hands a message to an adapter, once. The receipt says what became of it: `unknown` when it was sent and no answer came.
 * Nothing but the registered address is asked, no token goes with it, and what it answers is bounded.
 */
export async function publish(
  { url, unix }: PublishTarget,
  publication: Publication,
  signal: AbortSignal,
): Promise<PublishReceipt> {
  const failed = (kind: string, reason?: string): PublishReceipt =>
    receiptOf(publication.conversation, kind, reason === undefined ? null : { reason })
  try {
    const response = await fetch(`${url}/publish`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gc-request': 'true', 'accept-encoding': 'identity' },
      body: JSON.stringify(publication),
      redirect: 'manual',
      keepalive: false,
      signal,
      ...(unix !== undefined && { unix }),
    })
    const text = await readBounded(response)
    if (!response.ok) return failed(failureOf(response.status))
    return (text !== undefined && readReply(text)) || failed('transient')
  } catch (error) {
    if (NOT_SENT.has(codeOf(error))) return failed('transient')
    return failed('unknown', signal.aborted ? 'the adapter did not answer in time' : errorMessage(error))
  }
}

/** The receipt of a message that an adapter did not confirm. */
export const receiptOf = (
  conversation: ConversationRef,
  kind: string,
  metadata: PublishReceipt['Metadata'] = null,
): PublishReceipt => ({
  MessageID: '',
  Conversation: conversation,
  Delivered: false,
  FailureKind: kind,
  RetryAfter: 0,
  Metadata: metadata,
})

const failureOf = (status: number): string => FAILURES[status] ?? (status >= 500 ? 'transient' : 'permanent')

const codeOf = (error: unknown): string =>
  typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : ''

/** The body as text; undefined when it is longer than an answer may be, of which the rest is not read. */
async function readBounded(response: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of response.body ?? []) {
    size += part.byteLength
    if (size > MAX_ANSWER_BYTES) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts).toString()
}
