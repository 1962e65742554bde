import { claudeLimit } from './claude.ts'
import { codexLimit } from './codex.ts'
import { geminiLimit } from './gemini.ts'
import { opencodeLimit } from './opencode.ts'
import type { LimitStatement } from './statement.ts'

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
