import { asArray, asObject, asString, asTimestamp, isObject, type JsonRecord } from '../../programs/entries/json.ts'
import { readLimit } from './read-limit.ts'
import type { LimitStatement } from './statement.ts'

/** What an entry of a log says of the login that its program runs on. */
export type LogStatement =
  | { readonly is: 'limited'; readonly statement: LimitStatement }
  /** Most of a limit is used, which ends at this time. */
  | { readonly is: 'full'; readonly until: number }
  | { readonly is: 'dead'; readonly reason: string }

/** Reads what an entry of a program's log says of its login, from what the program itself wrote there. */
export function readLogEntry(program: string | undefined, raw: unknown): LogStatement | undefined {
  const entry = asObject(raw)
  if (program === 'claude') return readClaude(entry)
  if (program === 'codex') return readCodex(entry)
  return program === 'gemini' ? readGemini(entry) : undefined
}

/** An error that Claude Code writes in the place of an answer. */
function readClaude(entry: JsonRecord): LogStatement | undefined {
  if (entry.isApiErrorMessage !== true) return undefined
  const content = asArray(asObject(entry.message).content)
  const text = content.map((block) => asString(asObject(block).text) ?? '').join(' ')
  if (entry.error === 'authentication_failed') return { is: 'dead', reason: text.slice(0, 300) }
  return limited('claude', text, entry)
}

/** Codex records how much of its limits is used with each answer, and errors as events. */
function readCodex(entry: JsonRecord): LogStatement | undefined {
  const payload = asObject(entry.payload)
  if (entry.type !== 'event_msg') return undefined
  if (payload.type === 'error') return limited('codex', asString(payload.message) ?? '', entry)
  if (payload.type !== 'token_count') return undefined
  const at = asTimestamp(entry.timestamp) ?? 0
  const { primary, secondary } = asObject(payload.rate_limits)
  const ends = [primary, secondary].flatMap((window) => endOfFullWindow(window, at))
  return ends.length > 0 ? { is: 'full', until: Math.max(...ends) } : undefined
}

function endOfFullWindow(window: unknown, at: number): number[] {
  if (!isObject(window) || !(Number(window.used_percent) >= 100)) return []
  if (Number.isFinite(window.resets_at)) return [Number(window.resets_at) * 1000]
  return Number.isFinite(window.resets_in_seconds) ? [at + Number(window.resets_in_seconds) * 1000] : []
}

function readGemini(entry: JsonRecord): LogStatement | undefined {
  return entry.type === 'error' ? limited('gemini', asString(entry.content) ?? '', entry) : undefined
}

function limited(program: string, text: string, entry: JsonRecord): LogStatement | undefined {
  const statement = readLimit(program, text, asTimestamp(entry.timestamp) ?? 0)
  return statement && { is: 'limited', statement }
}
