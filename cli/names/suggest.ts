import type { Command } from 'commander'
import { isRecord } from '../../src/client/json.ts'
import type { CommandContext } from '../context/context.ts'
import { readLine } from '../io/command-line.ts'
import { type Kind, kindsOf, missingKind } from './kinds.ts'

/** Maximum time a look for what was meant may take. */
const LOOK_MS = 1_000

/** The closest valid name to an unknown one on the command line; undefined when no name is close. */
export async function suggestName(
  program: Command,
  context: CommandContext,
  args: readonly string[],
  error: unknown,
): Promise<string | undefined> {
  const kind = kindOfError(error)
  if (!kind) return undefined
  const typed = readLine(program, args).given.filter(({ placeholder }) => kindsOf(placeholder).includes(kind))
  for (const { word, placeholder } of typed) {
    const near = await closestName(context, word, placeholder)
    if (near !== undefined) return near
  }
  return undefined
}

/** The reason why an agent named in place of a session has no session; undefined for other errors. */
export async function explainMissingSession(context: CommandContext, error: unknown): Promise<string | undefined> {
  if (kindOfError(error)?.missing !== 'session-not-found' || !(error instanceof Error)) return undefined
  const { message } = error
  const city = await limited(context).city()
  const { items } = await city.call('GET ~/agents')
  const agent = items.find(({ name }) => message.includes(`"${name}"`))
  if (!agent) return undefined
  const reason = agent.unavailable_reason
  return reason
    ? `that agent cannot be started: ${reason}`
    : `that agent has no session; \`gc session new ${agent.pool ?? agent.name}\` starts one`
}

/** The same context for a short look that starts nothing. */
function limited(context: CommandContext): CommandContext {
  const signal = AbortSignal.any([context.io.signal, AbortSignal.timeout(LOOK_MS)])
  return context.printingTo({ ...context.io, signal }).withoutStarting()
}

const kindOfError = (error: unknown): Kind | undefined =>
  isRecord(error) && typeof error.code === 'string' ? missingKind(error.code) : undefined

/** The name closest to a word at a placeholder; undefined when the word is a name itself or no name is close. */
export async function closestName(
  context: CommandContext,
  word: string,
  placeholder: string,
): Promise<string | undefined> {
  const looking = limited(context)
  const lists = await Promise.all(kindsOf(placeholder).map((kind) => kind.list(looking).catch(() => [])))
  const names = lists.flat().map(({ name }) => name)
  const { nearest } = await import('../../src/config/files/suggestion.ts')
  return names.includes(word) ? undefined : nearName(word, names, nearest)
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
