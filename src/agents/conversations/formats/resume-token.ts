import { createHash } from 'node:crypto'
import { asBoolean, asNumber, asString, isObject, parseJson } from '../../../programs/entries/index.ts'
import type { StructuredFrame } from '../schema.ts'
import type { Message } from '../structured/messages.ts'

/** Received part of a conversation, as encoded in the reader's token. */
interface ResumeState {
  stream: string
  /** The number of final messages, the id of the last one, and a hash of their ids. */
  settled: number
  last: string
  prefix: string
  /** A hash of the messages after those. */
  rest: string
  thinking: boolean
}

/** Continuation of a reader: all messages, new and unfinished ones, or none. */
export type ResumeResult =
  | { how: 'same' }
  | { how: 'frame'; operation: StructuredFrame['operation']; reset_reason?: ResetReason; messages: readonly Message[] }
type ResetReason = NonNullable<StructuredFrame['reset_reason']>

const PREFIX = 'st1.'

export function tokenOf(stream: string, messages: readonly Message[], thinking: boolean): string {
  const { settled, last, prefix, rest } = positionOf(messages)
  const json = JSON.stringify({ s: stream, n: settled, a: last, p: prefix, r: rest, t: thinking })
  return PREFIX + Buffer.from(json).toString('base64url')
}

/** Determines what a reader with this token is sent. */
export function resumeMessages(
  token: string,
  stream: string,
  messages: readonly Message[],
  thinking: boolean,
): ResumeResult {
  if (token === '') return { how: 'frame', operation: 'snapshot', messages }
  const reset = (reset_reason: ResetReason): ResumeResult => ({
    how: 'frame',
    operation: 'reset',
    reset_reason,
    messages,
  })
  const state = decode(token)
  if (!state || state.thinking !== thinking) return reset('resume_invalid')
  if (state.stream !== stream) return reset('stream_changed')
  const index = state.settled === 0 ? 0 : messages.findIndex(({ id }) => id === state.last) + 1
  if (state.settled > 0 && index === 0) return reset('cursor_invalidated')
  if (index !== state.settled || hashIds(messages.slice(0, index)) !== state.prefix) return reset('history_rewritten')
  const rest = messages.slice(index)
  if (hashMessages(rest) === state.rest) return { how: 'same' }
  return { how: 'frame', operation: 'upsert', messages: rest }
}

function positionOf(messages: readonly Message[]): Omit<ResumeState, 'stream' | 'thinking'> {
  const firstPartial = messages.findIndex(({ status }) => status === 'partial')
  const settled = firstPartial < 0 ? messages.length : firstPartial
  const final = messages.slice(0, settled)
  return { settled, last: final.at(-1)?.id ?? '', prefix: hashIds(final), rest: hashMessages(messages.slice(settled)) }
}

const hash = (parts: Iterable<string>): string => {
  const sum = createHash('sha256')
  for (const part of parts) sum.update(part).update('\0')
  return sum.digest('base64url').slice(0, 16)
}

const hashIds = (messages: readonly Message[]): string => hash(messages.map(({ id }) => id))
const hashMessages = (messages: readonly Message[]): string => hash(messages.map((message) => JSON.stringify(message)))

function decode(token: string): ResumeState | undefined {
  if (!token.startsWith(PREFIX)) return undefined
  const value = parseJson(Buffer.from(token.slice(PREFIX.length), 'base64url').toString())
  if (!isObject(value)) return undefined
  const stream = asString(value.s)
  const settled = asNumber(value.n)
  const thinking = asBoolean(value.t)
  if (stream === undefined || settled === undefined || thinking === undefined) return stateOfScreenToken(value)
  return {
    stream,
    settled,
    last: asString(value.a) ?? '',
    prefix: asString(value.p) ?? '',
    rest: asString(value.r) ?? '',
    thinking,
  }
}

/** The token of a screen has a stream id only, which is never that of a log. */
const stateOfScreenToken = (value: { stream?: unknown }): ResumeState | undefined => {
  const stream = asString(value.stream)
  return stream === undefined ? undefined : { stream, settled: 0, last: '', prefix: '', rest: '', thinking: false }
}
