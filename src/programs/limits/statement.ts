import { asTimestamp, type JsonRecord } from '../entries/index.ts'

/** A program's statement about a usage limit that it reached. */
export interface LimitStatement {
  /** The end of the limit in milliseconds since the epoch; undefined when the program does not say. */
  readonly until: number | undefined
  /** The statement in the program's own words. */
  readonly text: string
}

/** Reads a statement out of a text that was written at a time; undefined when there is none. */
export type LimitReader = (text: string, at: number) => LimitStatement | undefined

/** The state of a login, as an entry of its program's log states it. */
export type LogStatement =
  | { readonly is: 'limited'; readonly statement: LimitStatement }
  /** Most of a limit is used, which ends at this time. */
  | { readonly is: 'full'; readonly until: number }
  | { readonly is: 'dead'; readonly reason: string }

/** No program states a limit that lasts longer. */
const MAX_LIMIT = 32 * 86_400_000

/** Reads a statement. A time that has passed, or lies too far ahead, says nothing about the limit. */
export function readSoundly(read: LimitReader, text: string, at: number): LimitStatement | undefined {
  const statement = read(text, at)
  if (!statement) return undefined
  const { until } = statement
  const isSound = until !== undefined && until > at && until <= at + MAX_LIMIT
  return { until: isSound ? until : undefined, text: statement.text.slice(0, 300) }
}

/** Reads a usage limit out of a text of an entry. */
export function limitIn(read: LimitReader, text: string, entry: JsonRecord): LogStatement | undefined {
  const statement = readSoundly(read, text, asTimestamp(entry.timestamp) ?? 0)
  return statement && { is: 'limited', statement }
}

/** A text on one line, with straight apostrophes and without the borders that a screen draws round it. */
export const onOneLine = (text: string): string =>
  text
    .replaceAll(/[’ʼ]/g, "'")
    .replaceAll(/[│┃╎║⎿■]/g, ' ')
    .replaceAll(/\s+/g, ' ')
    .trim()

/** The first sentence of a line, or as much of it as is worth showing. */
export const firstSentence = (line: string): string =>
  (/^.{1,160}?(?=\. |\.?$| [·∙] )/.exec(line)?.[0] ?? line.slice(0, 160)).trim()
