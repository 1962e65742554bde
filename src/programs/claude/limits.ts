import { asArray, asObject, asString, type JsonRecord } from '../entries/index.ts'
import {
  firstSentence,
  type LimitStatement,
  type LogStatement,
  limitIn,
  nextWallTime,
  onOneLine,
  parseWallTime,
  readLeadingDuration,
} from '../limits/index.ts'

/** `You've hit your session limit`, `5-hour limit reached`, `Claude AI usage limit reached|1749924000`. */
const REACHED =
  /you've (?:hit|reached) your (?:[\w.-]+ ){0,3}limit|(?:\d-hour|session|weekly|usage|opus|sonnet|fable) limit reached|out of extra usage/i
/**
 * Reset time after the limit: ` · resets 10:30pm (Europe/Berlin)`, `. Your limit will reset at 1pm (Etc/GMT+5).`, `∙
 * resets in 1d 5h`.
 */
const RESET =
  /^.{0,60}?\bresets?(?: (?:at|on))? (?<when>.{2,40}?)(?: ?\((?<zone>[\w/+-]{2,40})\)|[.;·∙|/]|$| {2,}|(?= continuing\b))/i
const EPOCH = /^\|(\d{10})\b/

/** Usage limit of Claude Code, from its screen and its log. */
export function claudeLimit(text: string, at: number): LimitStatement | undefined {
  const line = onOneLine(text)
  const reached = REACHED.exec(line)
  if (!reached) return undefined
  const rest = line.slice(reached.index + reached[0].length)
  const [, epoch] = EPOCH.exec(rest) ?? []
  if (epoch) return { until: Number(epoch) * 1000, text: reached[0] }
  const reset = RESET.exec(rest)
  const { when, zone } = reset?.groups ?? {}
  if (!reset || when === undefined) return { until: undefined, text: firstSentence(line.slice(reached.index)) }
  const statement = `${reached[0]}${reset[0]}`.trim()
  if (/^in /i.test(when)) {
    const duration = readLeadingDuration(when.slice(3))
    return { until: duration === undefined ? undefined : at + duration, text: statement }
  }
  const time = parseWallTime(when)
  return { until: time && nextWallTime(time, zone, at), text: statement }
}

/** An error that Claude Code writes in the place of an answer. */
export function readClaudeEntry(entry: JsonRecord): LogStatement | undefined {
  if (entry.isApiErrorMessage !== true) return undefined
  const content = asArray(asObject(entry.message).content)
  const text = content.map((block) => asString(asObject(block).text) ?? '').join(' ')
  if (entry.error === 'authentication_failed') return { is: 'dead', reason: text.slice(0, 300) }
  return limitIn(claudeLimit, text, entry)
}
