import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PrivateFile, PrivateLink } from '../../host/protocol/index.ts'
import { confinedProgram } from '../../programs/confinements.ts'
import { asObject, type JsonRecord, parseJson } from '../../programs/entries/index.ts'
import { programOf } from '../../programs/list.ts'
import type { FirstRun, UserHome } from '../../programs/parts/index.ts'

/**
 * The first files of a program's private home, so that its first screen asks nothing that it would not ask unconfined:
 * the dialogs that the user has seen, accepted and trusted. No other settings and no login are in it.
 */
export const firstRunFiles = (provider: string | undefined, place: FirstRun): PrivateFile[] =>
  (confinedProgram(provider).firstRun?.(place) ?? []).flatMap(({ path, text }) =>
    text === '' || text === '{}' ? [] : [{ path, text }],
  )

/** The login file of a provider's program: outside of confinement, and in its private home. */
export function loginPlace(provider: string | undefined, { env, home }: UserHome): PrivateLink | undefined {
  const own = programOf(provider)?.home
  if (own?.login === undefined) return undefined
  return { path: join(own.folder, own.login), to: join(env[own.variable] ?? join(home, own.usual), own.login) }
}

/** The one file with a login that the program of a provider may read; undefined where there is none. */
export function loginFile(provider: string | undefined, place: UserHome): PrivateLink | undefined {
  const link = loginPlace(provider, place)
  return link && existsSync(link.to) ? link : undefined
}

/** The keys of APIs that people gave to the program of a provider, each by the variable that could have it instead. */
export function storedKeys(provider: string | undefined, place: UserHome): Readonly<Record<string, string>> {
  const [keysIn, link] = [confinedProgram(provider).storedKeys, loginPlace(provider, place)]
  return keysIn && link ? keysIn(readJson(link.to)) : {}
}

/** A file that is not there, or that no one may read, has no keys. */
function readJson(path: string): JsonRecord {
  try {
    return asObject(parseJson(readFileSync(path, 'utf8')))
  } catch {
    return {}
  }
}
