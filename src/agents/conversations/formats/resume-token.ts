import { createHash } from 'node:crypto'
import { asBoolean, asNumber, asString, isObject, parseJson } from '../entries/json.ts'
import type { Message } from '../structured/messages.ts'
import type { StructuredFrame } from '../structured/transcript.ts'

/** What a reader has seen, as its token says. */
interface ResumeState {
  stream: string
  /** How many messages will not change any more, the last of them, and a hash of what they are called. */
  settled: number
  last: string
  prefix: string
  /** A hash of the messages behind those. */
  rest: string
  thinking: boolean
}

/** How a reader goes on: with everything, with what is new or still changes, or not at all. */
export type ResumeResult =
  | { how: 'same' }
  | { how: 'frame'; operation: StructuredFrame['operation']; reset_reason?: ResetReason; messages: readonly Message[] }
type ResetReason = NonNullable<StructuredFrame['reset_reason']>

const PREFIX = 'st1.'

export function tokenOf(stream: string, messages: readonly Message[], thinking: boolean): string {
  const { settled, last, prefix, rest } = positionOf(messages)
  const packed = JSON.stringify({ s: stream, n: settled, a: last, p: prefix, r: rest, t: thinking })
  return PREFIX + Buffer.from(packed).toString('base64url')
}

/** How a reader with this token is brought up to date. */
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
  const seen = decode(token)
  if (!seen || seen.thinking !== thinking) return reset('resume_invalid')
  if (seen.stream !== stream) return reset('stream_changed')
  const at = seen.settled === 0 ? 0 : messages.findIndex(({ id }) => id === seen.last) + 1
  if (seen.settled > 0 && at === 0) return reset('cursor_invalidated')
  if (at !== seen.settled || hashIds(messages.slice(0, at)) !== seen.prefix) return reset('history_rewritten')
  const rest = messages.slice(at)
  if (hashMessages(rest) === seen.rest) return { how: 'same' }
  return { how: 'frame', operation: 'upsert', messages: rest }
}

function positionOf(messages: readonly Message[]): Omit<ResumeState, 'stream' | 'thinking'> {
  const open = messages.findIndex(({ status }) => status === 'partial')
  const settled = open < 0 ? messages.length : open
  const final = messages.slice(0, settled)
  return { settled, last: final.at(-1)?.id ?? '', prefix: hashIds(final), rest: hashMessages(messages.slice(settled)) }
}

const hash = (pieces: Iterable<string>): string => {
  const sum = createHash('sha256')
  for (const piece of pieces) sum.update(piece).update('\0')
  return sum.digest('base64url').slice(0, 16)
}

const hashIds = (messages: readonly Message[]): string => hash(messages.map(({ id }) => id))
const hashMessages = (messages: readonly Message[]): string => hash(messages.map((message) => JSON.stringify(message)))

function decode(token: string): ResumeState | undefined {
  if (!token.startsWith(PREFIX)) return undefined
  const said = parseJson(Buffer.from(token.slice(PREFIX.length), 'base64url').toString())
  if (!isObject(said)) return undefined
  const stream = asString(said.s)
  const settled = asNumber(said.n)
  const thinking = asBoolean(said.t)
  if (stream === undefined || settled === undefined || thinking === undefined) return stateOfScreenToken(said)
  return {
    stream,
    settled,
    last: asString(said.a) ?? '',
    prefix: asString(said.p) ?? '',
    rest: asString(said.r) ?? '',
    thinking,
  }
}

/** The token of a screen names a stream, which is never that of a log. */
const stateOfScreenToken = (said: { stream?: unknown }): ResumeState | undefined => {
  const stream = asString(said.stream)
  return stream === undefined ? undefined : { stream, settled: 0, last: '', prefix: '', rest: '', thinking: false }
}
