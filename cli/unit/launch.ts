import { join } from 'node:path'
import { resolveHome } from '../../src/client/home.ts'
import { LOG_FILE } from '../context/launch-supervisor.ts'
import { program } from '../context/version.ts'
import { failure } from '../io/exit.ts'
import type { Io } from '../io/io.ts'

/** Start of the supervisor by the system: the command and its environment. */
export interface Launch {
  readonly words: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

/** Starts this program as it is called now: with the same PATH, on which agents' programs are found, home and port. */
export function launchOf({ env }: Pick<Io, 'env'>): Launch {
  const { PATH, GC_PORT } = env
  if (!PATH) throw failure('PATH is empty, and agents would find no programs; set it and install again')
  const home = resolveHome(env)
  const words = [...program, 'serve', '--log', join(home, LOG_FILE)]
  const variables = { PATH, GC_HOME: home, ...(GC_PORT && { GC_PORT }) }
  for (const text of [...words, ...Object.values(variables)]) {
    if (CONTROL.test(text)) throw failure(`a unit cannot hold control characters, but ${JSON.stringify(text)} has some`)
  }
  return { words, env: variables }
}

const CONTROL = /\p{Cc}/u
