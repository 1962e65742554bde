import { asObject } from './entries/index.ts'
import { type LimitStatement, type LogStatement, onOneLine, readSoundly } from './limits/index.ts'
import { runtimeOf, runtimes } from './runtimes.ts'

/**
 * Reads a usage limit out of a text: as its program writes, else as any of the known programs does, since a program
 * that is not known may run one of them.
 */
export function readLimit(program: string | undefined, text: string, at: number): LimitStatement | undefined {
  const own = runtimeOf(program).limit
  for (const read of own ? [own] : runtimes().flatMap(({ limit }) => limit ?? [])) {
    const statement = readSoundly(read, text, at)
    if (statement) return statement
  }
  return undefined
}

/** Reads what an entry of a program's log says of its login, from what the program itself wrote there. */
export const readLogEntry = (program: string | undefined, raw: unknown): LogStatement | undefined =>
  runtimeOf(program).readEntry?.(asObject(raw))

/** gc's own message about a program that asks for a login by protocol. */
const BY_PROTOCOL = /(?:has to|must) be logged in first|authentication required/i

/** Reads the statement of a dead login out of a text that a known program wrote; undefined when there is none. */
export function readLoginFailure(program: string | undefined, text: string): string | undefined {
  if (program === undefined) return undefined
  const line = onOneLine(text)
  const match = runtimeOf(program).loginFailure?.exec(line) ?? BY_PROTOCOL.exec(line)
  if (!match) return undefined
  const start = line.lastIndexOf('. ', match.index) + 1
  return line.slice(start, start + 200).trim()
}
