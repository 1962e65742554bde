import { claudeLimit } from './claude.ts'
import { codexLimit } from './codex.ts'
import { readLeadingDuration } from './duration.ts'
import { geminiLimit } from './gemini.ts'
import type { LimitStatement } from './statement.ts'
import { onOneLine } from './text.ts'

/** `Usage limit reached`, `Free usage exceeded`, `You exceeded your current quota`, `Rate limit reached for requests`. */
const REACHED =
  /usage limit reached|usage exceeded|exceeded your (?:current )?quota|rate limit (?:reached|exceeded)|too many requests/i
/** `[retrying in 1h 59m attempt #1]`, `[retrying in ~1 day attempt #1]`. */
const RETRYING = /\[retrying in ~?(?<duration>[^\]#]{1,40}?)(?: attempt)? #\d+\]/i
/** It tries again by itself; a provider that is only busy is asked again sooner. */
const SHORTEST = 5 * 60_000

/** What OpenCode says of a usage limit, below its input line, while it waits to try again. */
function opencodeLimit(text: string, at: number): LimitStatement | undefined {
  const line = onOneLine(text)
  const retrying = RETRYING.exec(line)
  const duration = readLeadingDuration(retrying?.groups?.duration ?? '')
  if (!retrying || duration === undefined || duration < SHORTEST) return undefined
  const before = line.slice(0, retrying.index)
  const reached = REACHED.exec(before)
  if (!reached) return undefined
  return { until: at + duration, text: before.slice(reached.index).trim() }
}

/** Reads a statement out of a text that was written at a time; undefined when there is none. */
type StatementReader = (text: string, at: number) => LimitStatement | undefined

const READERS: Readonly<Record<string, StatementReader>> = {
  claude: claudeLimit,
  codex: codexLimit,
  gemini: geminiLimit,
  opencode: opencodeLimit,
}

/** No program states a limit that lasts longer. */
const MAX_LIMIT = 32 * 86_400_000

/**
 * What a text says of a usage limit: read as its program writes, else as any of the known programs does, since a
 * program that is not known may run one of them.
 */
export function readLimit(program: string | undefined, text: string, at: number): LimitStatement | undefined {
  const own = program === undefined ? undefined : READERS[program]
  for (const read of own ? [own] : Object.values(READERS)) {
    const statement = read(text, at)
    if (statement) return withinReason(statement, at)
  }
  return undefined
}

/** A time that has passed, or lies too far ahead, says nothing about the limit. */
function withinReason({ until, text }: LimitStatement, at: number): LimitStatement {
  const isSound = until !== undefined && until > at && until <= at + MAX_LIMIT
  return { until: isSound ? until : undefined, text: text.slice(0, 300) }
}
