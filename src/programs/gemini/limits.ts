import { asString, type JsonRecord } from '../entries/index.ts'
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
  /usage limit reached for [^.]{1,60}(?:\.[\w-]+)*|you have exhausted your (?:capacity|daily quota)[^.]*|you exceeded your current quota|quota exceeded for quota metric[^"]{0,80}|RESOURCE_EXHAUSTED/i
/** `Access resets at 10:57 PM GMT-3.` */
const ACCESS = /access resets at (?<when>\d{1,2}:\d{2} ?[ap]m) ?(?<zone>[a-z]{1,5}(?:[+-]\d{1,2}(?::\d{2})?)?)?/i
/** `Your quota will reset after 12h22m45s.` */
const AFTER = /quota will reset after (?<duration>[\d.dhms ]+)/i
/** `"retryDelay": "51820.6s"`, even where the quotes are escaped. */
const DELAY = /\bretryDelay\\*"? ?: ?\\*"(?<duration>[\d.]+m?s)/

/** Usage limit of Gemini CLI: from its screen, its chat, and errors of its API. */
export function geminiLimit(text: string, at: number): LimitStatement | undefined {
  const line = onOneLine(text)
  const reached = REACHED.exec(line)
  if (!reached) return undefined
  const { when, zone } = ACCESS.exec(line)?.groups ?? {}
  const time = parseWallTime(when ?? '')
  if (time)
    return { until: nextWallTime(time, zone, at), text: `${reached[0]}. Access resets at ${when} ${zone ?? ''}`.trim() }
  const after = AFTER.exec(line)?.groups?.duration ?? DELAY.exec(line)?.groups?.duration
  const duration = readLeadingDuration(after ?? '')
  const statement =
    after === undefined ? reached[0] : `${reached[0]}; it resets after ${after.trim().replace(/\.$/, '')}`
  return { until: duration === undefined ? undefined : at + duration, text: statement }
}

/** An error that Gemini CLI writes into its chat. */
export function readGeminiEntry(entry: JsonRecord): LogStatement | undefined {
  return entry.type === 'error' ? limitIn(geminiLimit, asString(entry.content) ?? '', entry) : undefined
}
