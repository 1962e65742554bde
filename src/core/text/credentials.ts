import { sha256 } from '../digest.ts'
import { Redactor } from './redact.ts'
import { blankSentence } from './secrets.ts'

/** Prefix of the tokens of each kind of caller. */
export const TOKEN_PREFIX = { session: 'gcs_', operator: 'gco_', person: 'gcp_', networkAgent: 'moltbook_' } as const

export const TOKEN_PREFIXES: readonly string[] = Object.values(TOKEN_PREFIX)

/** The hash under which a token is stored; the token itself never is. */
export const hashToken = (token: string): string => sha256(token)

const redactor = new Redactor(TOKEN_PREFIXES)

/** The text with every token replaced. */
export const redactTokens = (text: string): string => redactor.redact(text)

/** A line for the log: without tokens, and without what can be nothing but a secret. */
export const redactLine = (text: string): string => blankSentence(redactTokens(text))
