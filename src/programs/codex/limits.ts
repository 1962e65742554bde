import { asObject, asString, asTimestamp, isObject, type JsonRecord } from '../entries/index.ts'
import {
  type LimitStatement,
  type LogStatement,
  limitIn,
  nextWallTime,
  onOneLine,
  parseWallTime,
  readLeadingDuration,
} from '../limits/index.ts'

const REACHED =
  /you've hit your (?:usage|spend(?:ing)?) limit|usage_limit_(?:reached|exceeded)|the usage limit has been reached/i
const RETRY_AT = /\btry again at (?<when>[^.(]{2,40}?(?:am|pm)\b)/i
const RETRY_IN = /\btry again in (?<duration>(?:\d+ \w+,? ?(?:and )?){1,4})/i

/** Usage limit of Codex: from its screen in local time, from an API error in seconds. */
export function codexLimit(text: string, at: number): LimitStatement | undefined {
  const line = onOneLine(text)
  const reached = REACHED.exec(line)
  if (!reached) return undefined
  const statement = line.slice(reached.index, reached.index + 250)
  return { until: resetOf(line.slice(reached.index), at) ?? resetOf(line, at), text: endOfSentence(statement) }
}

function resetOf(text: string, at: number): number | undefined {
  const [, epoch] = /"resets_at" ?: ?(\d{10})\b/.exec(text) ?? []
  if (epoch) return Number(epoch) * 1000
  const [, seconds] = /"resets_in_seconds" ?: ?(\d{1,8})\b/.exec(text) ?? []
  if (seconds) return at + Number(seconds) * 1000
  const duration = readLeadingDuration(RETRY_IN.exec(text)?.groups?.duration ?? '')
  if (duration !== undefined) return at + duration
  const time = parseWallTime(RETRY_AT.exec(text)?.groups?.when ?? '')
  return time && nextWallTime(time, undefined, at)
}

/** The statement up to where it says when, without what else stands on the screen. */
function endOfSentence(statement: string): string {
  const [upToTime] = /^.*?(?:try again (?:at|in|later)\b[^.]*)/i.exec(statement) ?? []
  return (upToTime ?? statement.split(/\. |[{}]/)[0] ?? statement).trim()
}

/** Codex records how much of its limits is used with each answer, and errors as events. */
export function readCodexEntry(entry: JsonRecord): LogStatement | undefined {
  const payload = asObject(entry.payload)
  if (entry.type !== 'event_msg') return undefined
  if (payload.type === 'error') return limitIn(codexLimit, asString(payload.message) ?? '', entry)
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
