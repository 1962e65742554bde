import { realpathSync } from 'node:fs'
import { join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** What decides which log is a session's. */
export interface LogSearch {
  /** The environment of its program: where its home is. */
  readonly env: Env
  /** The folder it works in, as it is written and as it really is. */
  readonly folders: readonly string[]
  /** Its log cannot have begun before. */
  readonly startedAfter: number
  readonly now: number
}

export const homeFolder = (env: Env): string => env.HOME ?? '/'

/** A folder that a variable may name, else one below the home. */
export const folderFromEnv = (env: Env, variable: string, ...path: readonly string[]): string =>
  env[variable] || join(homeFolder(env), ...path)

/** A folder by every name it may stand under in a log. */
export function pathVariants(folder: string): string[] {
  try {
    return [...new Set([folder, realpathSync(folder)])]
  } catch {
    return [folder]
  }
}
