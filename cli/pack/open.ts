import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CityPacks } from '../../src/config/offline/index.ts'
import { cityFolder } from '../context/city-folder.ts'
import { type CommandContext, realPath } from '../context/context.ts'
import { printJson } from '../io/io.ts'

/** The packs of the city that a command is for, with no need of a supervisor. */
export async function openPacks(
  context: CommandContext,
  command: Command,
): Promise<{ path: string; packs: CityPacks }> {
  const path = await cityFolder(context, command.optsWithGlobals<{ city?: string }>().city)
  return { path, packs: await packsAt(context, path) }
}

/** The packs of the city in a folder. What is fetched is said on standard error. */
export async function packsAt({ io }: CommandContext, path: string): Promise<CityPacks> {
  const { CityPacks } = await import('../../src/config/offline/city-packs.ts')
  const { env, signal } = io
  return new CityPacks({ path, home: resolveHome(env), env, signal, progress: (message) => io.err(`${message}\n`) })
}

/** Strikes out secrets, such as those in the address of a source, unless a person reads it. */
export async function visibleOf(
  { io: { env } }: CommandContext,
  path: string,
): Promise<<Result>(result: Result) => Result> {
  const { toVisible } = await import('../../src/config/offline/visible.ts')
  return (result) => toVisible(result, { env, path, home: resolveHome(env) })
}

/** Makes a running city read its files again, so that the next command sees the change. */
export async function reloadConfig(context: CommandContext, path: string): Promise<void> {
  const cities = await context.cities().catch(() => [])
  const city = cities.find((each) => each.running && realPath(each.path) === realPath(path))
  if (!city) return
  // Without the reload, the city notices the change within a second.
  const reloaded = await context.client
    .city(city.name)
    .call('POST ~/config/reload', { body: {} })
    .catch(() => undefined)
  if (!reloaded) return
  const { outcome, errors, warnings } = reloaded
  const kept = outcome === 'invalid' ? [`${city.name} keeps its last good configuration`] : []
  for (const sentence of [...kept, ...errors, ...warnings]) context.io.err(`gc: ${sanitizeLine(sentence)}\n`)
}

/** The JSON of commands that print an object of their own. */
export const printResult = ({ io }: CommandContext, result: Readonly<Record<string, unknown>>): void =>
  printJson(io, { schema_version: '1', ok: true, ...result })
