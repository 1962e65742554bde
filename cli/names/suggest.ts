import type { Command } from 'commander'
import { ApiError } from '../../src/client/errors.ts'
import type { CommandContext } from '../context/context.ts'
import { Exit } from '../io/exit.ts'
import { readLine } from '../io/line.ts'
import { kindsOf, missingKind } from './kinds.ts'

/** How long a look for what was meant may take. */
const LOOK_MS = 1_000

/** The name that was meant by one on the command line that nothing has; undefined when no name is near it. */
export async function suggestName(
  program: Command,
  context: CommandContext,
  args: readonly string[],
  error: unknown,
): Promise<string | undefined> {
  const kind = error instanceof ApiError || error instanceof Exit ? missingKind(error.code) : undefined
  if (!kind) return undefined
  const typed = readLine(program, args).given.filter(({ placeholder }) => kindsOf(placeholder).includes(kind))
  const signal = AbortSignal.any([context.io.signal, AbortSignal.timeout(LOOK_MS)])
  const limited = context.printingTo({ ...context.io, signal }).withoutStarting()
  const names = (await kind.list(limited).catch(() => [])).map(({ name }) => name)
  const { nearest } = await import('../../src/config/diagnostics/suggestion.ts')
  for (const { word } of typed) {
    const near = names.includes(word) ? undefined : nearName(word, names, nearest)
    if (near !== undefined) return near
  }
  return undefined
}

/** A near name, or one that is near or the same without its rig. */
function nearName(
  word: string,
  names: readonly string[],
  nearest: (word: string, candidates: Iterable<string>) => string | undefined,
): string | undefined {
  const whole = nearest(word, names)
  if (whole !== undefined) return whole
  const byBase = new Map(names.map((name) => [baseOf(name), name]))
  const base = nearest(baseOf(word), byBase.keys())
  return base === undefined ? undefined : byBase.get(base)
}

const baseOf = (name: string): string => name.slice(name.lastIndexOf('/') + 1)
