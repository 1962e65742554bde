import { type Clock, toTimestamp } from './clock.ts'
import { errorMessage } from './errors.ts'

const LEVELS = ['debug', 'info', 'warn', 'error'] as const
export type Level = (typeof LEVELS)[number]

export type LogFields = Readonly<Record<string, unknown>>

export interface LogOptions {
  /** Where lines go: standard error, a file. */
  readonly to: { write(line: string): unknown }
  readonly clock: Clock
  /** Removes secrets from a line. */
  readonly redact?: (line: string) => string
  readonly format?: 'text' | 'json'
  /** What is less than this is not written. */
  readonly minLevel?: Level
}

/** Writes one line for each message, with secrets redacted. */
export class Log {
  constructor(
    private readonly options: LogOptions,
    private readonly fields: LogFields = {},
  ) {}

  /** A log whose every line carries these fields too. */
  with(fields: LogFields): Log {
    return new Log(this.options, { ...this.fields, ...fields })
  }

  debug(message: string, fields?: LogFields): void {
    this.#write('debug', message, fields)
  }

  info(message: string, fields?: LogFields): void {
    this.#write('info', message, fields)
  }

  warn(message: string, fields?: LogFields): void {
    this.#write('warn', message, fields)
  }

  error(message: string, fields?: LogFields): void {
    this.#write('error', message, fields)
  }

  #write(level: Level, message: string, fields: LogFields = {}): void {
    const { to, clock, format = 'text', redact = (all) => all, minLevel: least = 'info' } = this.options
    if (LEVELS.indexOf(level) < LEVELS.indexOf(least)) return
    const ts = toTimestamp(clock.now())
    const all = { ...this.fields, ...fields }
    const line = format === 'json' ? toJson({ ...all, ts, level, message }) : toText(ts, level, message, all)
    try {
      to.write(`${redact(line)}\n`)
    } catch {
      // A log that cannot be written must not end the work that it describes.
    }
  }
}

const plain = (_key: string, value: unknown): unknown => {
  if (value instanceof Error) return errorMessage(value)
  return typeof value === 'bigint' ? String(value) : value
}

function toJson(value: unknown): string {
  try {
    return JSON.stringify(value, plain) ?? 'null'
  } catch (error) {
    return JSON.stringify(`not written: ${errorMessage(error)}`)
  }
}

const toText = (ts: string, level: Level, message: string, fields: LogFields): string =>
  [ts, level.padEnd(5), oneLine(message), ...Object.entries(fields).flatMap(toWord)].join(' ')

const toWord = ([name, value]: [string, unknown]): string[] => {
  if (value === undefined) return []
  const bare = typeof value === 'string' && /^[\w./:@+-]+$/.test(value)
  return [`${name}=${bare ? value : toJson(value)}`]
}

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** A text that stays on its line and moves no terminal. */
const oneLine = (text: string): string =>
  text.replace(/\p{Cc}/gu, (one) => SHORT[one] ?? `\\x${one.charCodeAt(0).toString(16).padStart(2, '0')}`)
