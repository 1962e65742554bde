import { existsSync, readdirSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { join, relative, resolve } from 'node:path'
import { resolveHome } from '../../src/client/home.ts'
import { failure } from '../io/exit.ts'
import type { Io } from '../io/io.ts'

/** Files that identify a city or a repository. */
const MARKS = ['city.toml', '.git'] as const

/** Throws unless `named` is the home and there is nothing in it but what gc keeps there. */
export function requireRemovable(
  { env, cwd }: Pick<Io, 'env' | 'cwd'>,
  named: string,
  cities: readonly string[],
): void {
  const home = resolveHome(env)
  if (!existsSync(home)) throw failure(`there is no ${home}; leave --home out`)
  const real = realpathSync(home)
  if (realPath(resolve(cwd, named)) !== real) throw failure(`GC_HOME is ${home}, not ${named}; name it to remove it`)
  if (!['supervisor.db', 'supervisor.lock'].some((name) => existsSync(join(home, name)))) {
    throw failure(`${home} is not a folder of a supervisor; remove it yourself if nothing in it is needed`)
  }
  const userHome = realPath(env.HOME || homedir())
  if (isInside(real, userHome)) throw failure(`${home} holds your home folder ${userHome}; remove gc's files yourself`)
  const inside = [...cities.filter((path) => isInside(real, realPath(path))), ...markedFolders(home)]
  if (inside.length === 0) return
  throw failure(
    `${[...new Set(inside)].join(', ')} would be lost with ${home}; move that elsewhere, or remove it yourself`,
  )
}

/** Folders of cities and repositories, registered or not. */
const markedFolders = (home: string): string[] =>
  [home, ...readdirSync(home).map((name) => join(home, name))].filter((path) =>
    MARKS.some((mark) => existsSync(join(path, mark))),
  )

const realPath = (path: string): string => (existsSync(path) ? realpathSync(path) : path)

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith('../')
}
