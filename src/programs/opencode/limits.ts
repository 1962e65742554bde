import { type LimitStatement, onOneLine, readLeadingDuration } from '../limits/index.ts'

/** `Usage limit reached`, `Free usage exceeded`, `You exceeded your current quota`, `Rate limit reached for requests`. */
const REACHED =
  /usage limit reached|usage exceeded|exceeded your (?:current )?quota|rate limit (?:reached|exceeded)|too many requests/i
/** `[retrying in 1h 59m attempt #1]`, `[retrying in ~1 day attempt #1]`. */
const RETRYING = /\[retrying in ~?(?<duration>[^\]#]{1,40}?)(?: attempt)? #\d+\]/i
/** It tries again automatically; a provider that is only busy is asked again sooner. */
const SHORTEST = 5 * 60_000

/** Usage limit of OpenCode, below its input line, while it waits to retry. */
export function opencodeLimit(text: string, at: number): LimitStatement | undefined {
  const line = onOneLine(text)
  const retrying = RETRYING.exec(line)
  const duration = readLeadingDuration(retrying?.groups?.duration ?? '')
  if (!retrying || duration === undefined || duration < SHORTEST) return undefined
  const before = line.slice(0, retrying.index)
  const reached = REACHED.exec(before)
  if (!reached) return undefined
  return { until: at + duration, text: before.slice(reached.index).trim() }
}
