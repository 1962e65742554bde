import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'

/** The options of a command about one order. */
export interface OrderOptions extends JsonOption {
  rig?: string
}

/** A command about one order, named with its rig by `--rig` or as `name:rig:<rig>`. */
export const aboutOrder = (parent: Command, name: string, description: string): Command =>
  withJson(parent.command(name).description(description))
    .argument('<order>', 'name, or name:rig:<rig> for an order of a rig')
    .option('--rig <rig>', 'rig of the order')

/** Fails a command if city.toml overrides an unknown order. */
export async function requireMatchedOverrides(context: CommandContext): Promise<void> {
  const city = await context.city()
  const { unmatched_overrides } = await city.call('GET ~/order-files')
  if (unmatched_overrides.length > 0) throw failure(unmatched_overrides.map(sanitizeLine).join('\n'))
}

/** The name that the API knows an order by. */
export async function scopedNameOf(
  context: CommandContext,
  city: CityClient,
  name: string,
  rig: string | undefined,
): Promise<string> {
  return rig === undefined ? name : `${name}:rig:${await context.rigNamed(city, rig)}`
}
