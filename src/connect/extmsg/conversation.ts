import { AppError } from '../../core/errors.ts'
import { checkName, type InputCode } from './limits.ts'
import type { ConversationRef } from './schema.ts'

const KINDS = ['dm', 'room', 'thread'] as const
const REQUIRED = ['scope_id', 'provider', 'account_id', 'conversation_id'] as const

/** A conversation as a caller names it, before anything is checked. */
export interface GivenConversation {
  readonly scope_id?: string | undefined
  readonly provider?: string | undefined
  readonly account_id?: string | undefined
  readonly conversation_id?: string | undefined
  readonly parent_conversation_id?: string | undefined
  readonly kind?: string | undefined
}

/** The same without blanks at its edges and with the provider in lower case; throws when a field is missing. */
export function toConversation(given: GivenConversation | undefined, code: InputCode): ConversationRef {
  for (const field of REQUIRED) {
    if (!given?.[field]?.trim()) throw invalid(code, `${field} required`)
    checkName(field, given[field], code)
  }
  checkName('parent_conversation_id', given?.parent_conversation_id, code)
  const kind = KINDS.find((known) => known === given?.kind?.trim())
  if (kind === undefined) throw invalid(code, `kind must be ${KINDS.join(', ')}, not "${given?.kind ?? ''}"`)
  const {
    scope_id = '',
    provider = '',
    account_id = '',
    conversation_id = '',
    parent_conversation_id = '',
  } = given ?? {}
  const parent = parent_conversation_id.trim()
  return {
    scope_id: scope_id.trim(),
    provider: provider.trim().toLowerCase(),
    account_id: account_id.trim(),
    conversation_id: conversation_id.trim(),
    ...(parent && { parent_conversation_id: parent }),
    kind,
  }
}

const invalid = (code: InputCode, detail: string) => new AppError(code, `extmsg invalid conversation: ${detail}`)

/** Name of a conversation in errors: `chat/e1`. */
export const describeConversation = ({ provider, conversation_id }: ConversationRef): string =>
  `${provider}/${conversation_id}`
