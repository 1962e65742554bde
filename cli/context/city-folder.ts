import { existsSync } from 'node:fs'
import { dirname, isAbsolute, join, resolve } from 'node:path'
import type { CommandContext } from './context.ts'

/**
 * The folder of the city, also without a supervisor: of `--city`, of `GC_CITY`, around the current folder, or else of
 * the supervisor's only city.
 */
export async function cityFolder(context: CommandContext, city: string | undefined): Promise<string> {
  const { cwd, env } = context.io
  const named = city === undefined ? undefined : resolve(cwd, city)
  if (named !== undefined && isCity(named)) return named
  const inherited = [env.GC_CITY, env.GC_CITY_PATH].find((path) => path && isAbsolute(path) && isCity(path))
  if (city === undefined && inherited) return inherited
  const enclosing = city === undefined ? enclosingCity(cwd) : undefined
  if (enclosing !== undefined) return enclosing
  return (await (await context.withoutStarting().cityNamed(city)).call('GET ~/status')).path
}

const isCity = (folder: string): boolean => existsSync(join(folder, 'city.toml'))

/** The folder of the city around a folder. */
export function enclosingCity(folder: string): string | undefined {
  if (isCity(folder)) return folder
  return dirname(folder) === folder ? undefined : enclosingCity(dirname(folder))
}
