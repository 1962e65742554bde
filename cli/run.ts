import { type Command, CommanderError } from 'commander'
import { ClientProblem, Unreachable } from '../src/client/problem.ts'
import { plainLines } from '../src/client/text.ts'
import { Exit } from './exit.ts'
import type { Io } from './io.ts'

const INTERRUPTED = 130

/** Runs a program and says how it went: the one place where a failure becomes a status and a sentence. */
export async function run(program: Command, args: readonly string[], io: Io): Promise<number> {
  try {
    if (args.length === 0) {
      program.outputHelp()
      return 0
    }
    await program.parseAsync(args, { from: 'user' })
    return 0
  } catch (thrown) {
    if (thrown instanceof CommanderError) return thrown.exitCode === 0 ? 0 : 2
    if (io.signal.aborted) return INTERRUPTED
    const message = sentenceOf(thrown)
    if (message) io.err(`${program.name()}: ${plainLines(message)}\n`)
    return thrown instanceof Exit ? thrown.status : 1
  }
}

/** What a failure is called in front of a person. */
export function sentenceOf(thrown: unknown): string {
  if (thrown instanceof Unreachable) {
    return `no supervisor answers at ${thrown.url} (${thrown.reason}); start one with \`gc serve\``
  }
  if (thrown instanceof ClientProblem) return thrown.sentence
  return thrown instanceof Error ? thrown.message : String(thrown)
}
