import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { ConfigReloaded } from '../../src/config/views/index.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'

interface Reload extends JsonOption {
  async?: true
  soft?: true
}

export function reloadCommand(program: Command, context: CommandContext): void {
  withJson(program.command('reload').description('reload the configuration of a city, or print its errors'))
    .argument('[city]', 'name or folder of the city')
    .option('--async', 'accepted: files are read immediately')
    .option('--soft', 'keep running sessions with an outdated declaration')
    .option('--timeout <duration>', 'accepted')
    .action(async (name: string | undefined, options: Reload) =>
      reload(context, await context.cityNamed(name), options),
    )
}

/** Reads the configuration of a city again. */
export async function reload({ io }: CommandContext, city: CityClient, options: Reload): Promise<void> {
  const answer = await city.call('POST ~/config/reload', { body: { soft: options.soft === true } })
  const { outcome, errors, warnings, in_force_since, files } = answer
  if (outcome === 'invalid') {
    throw failure(`${city.name} keeps its last good configuration:\n${errors.join('\n')}`)
  }
  for (const warning of [...errors, ...warnings]) io.err(`gc: ${sanitizeLine(warning)}\n`)
  const message =
    outcome === 'applied' ? `The configuration of ${city.name} is up to date.` : unchanged(city.name, answer)
  if (!options.json) return printLine(io, message)
  const { path: city_path } = await city.call('GET ~')
  const modes = { async: options.async === true, soft: options.soft === true }
  printJson(io, envelope({ command: 'reload', message, city_path, ...modes, outcome, in_force_since, files }))
}

/** A change is mostly active before anybody asks for it: says since when, and what it was. */
function unchanged(city: string, { in_force_since, files }: Pick<ConfigReloaded, 'in_force_since' | 'files'>): string {
  const time = new Date(in_force_since).toLocaleString('sv-SE')
  const first = files.find((file) => !file.startsWith('../')) ?? files[0]
  if (first === undefined) return `Nothing has changed in ${city} since it was opened at ${time}.`
  const more = files.length > 1 ? ` and ${files.length - 1} more were` : ' was'
  return `Nothing has changed in ${city} since ${time}, when ${sanitizeLine(first)}${more} applied.`
}
