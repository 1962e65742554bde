import { realpathSync } from 'node:fs'
import { join } from 'node:path'

type Env = Readonly<Record<string, string | undefined>>

/** The criteria for the log of a session. */
export interface LogSearch {
  /** The environment of its program, which determines the home folder. */
  readonly env: Env
  /** Its working folder, as declared and with symbolic links resolved. */
  readonly folders: readonly string[]
  /** The earliest time its log can have started. */
  readonly startedAfter: number
  readonly now: number
}

export const homeFolder = (env: Env): string => env.HOME ?? '/'

/** The folder that a variable names, else one below the home folder. */
export const folderFromEnv = (env: Env, variable: string, ...path: readonly string[]): string =>
  env[variable] || join(homeFolder(env), ...path)

/** All paths under which a log may record a folder. */
export function pathVariants(folder: string): string[] {
  try {
    return [...new Set([folder, realpathSync(folder)])]
  } catch {
    return [folder]
  }
}
