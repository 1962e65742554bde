import type { Command } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'

/** The options of a command about one order. */
export interface OrderOptions extends JsonOption {
  rig?: string
}

/** A command about one order, named with its rig by `--rig` or as `name:rig:<rig>`. */
export const aboutOrder = (parent: Command, name: string, description: string): Command =>
  withJson(parent.command(name).description(description))
    .argument('<order>', 'its name; in a rig also name:rig:<rig>')
    .option('--rig <rig>', 'the rig whose order is meant')

/** The name that the API knows an order by. */
export async function scopedNameOf(
  context: CommandContext,
  city: CityClient,
  name: string,
  rig: string | undefined,
): Promise<string> {
  return rig === undefined ? name : `${name}:rig:${await context.rigNamed(city, rig)}`
}
