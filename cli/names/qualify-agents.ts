import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { findCommand, placeOfOption } from '../io/command-line.ts'
import { kindsOf } from './kinds.ts'

/** Commands that work without a supervisor, and so without a list of agents. */
const OFFLINE = 'config'

/** Qualifies agents: a name alone is looked up first in the rig of the command or folder. */
export async function qualifyAgents(context: CommandContext, program: Command, command: Command): Promise<void> {
  if (command.parent && command.parent === findCommand(program, OFFLINE)) return
  const given: unknown[] = command.processedArgs
  const args = command.registeredArguments.flatMap((argument, at) => {
    const name = given[at]
    return isBareAgent(argument.name(), name) ? [{ name, set: (found: string) => void given.splice(at, 1, found) }] : []
  })
  const options = command.options.flatMap((option) => {
    const key = option.attributeName()
    const name: unknown = command.getOptionValue(key)
    if (!isBareAgent(placeOfOption(option).placeholder, name)) return []
    return [{ name, set: (found: string) => void command.setOptionValue(key, found) }]
  })
  const all = [...args, ...options]
  if (all.length === 0) return
  const names = await agentsOfRig(context, command.opts<{ rig?: string }>().rig)
  for (const { name, set } of all) {
    const qualified = names.find((each) => each.endsWith(`/${name}`))
    if (qualified !== undefined) set(qualified)
  }
}

/** True if a value is the name of an agent without its rig. */
const isBareAgent = (placeholder: string, value: unknown): value is string =>
  typeof value === 'string' &&
  /^[\w.-]+$/.test(value) &&
  kindsOf(placeholder).some(({ missing }) => missing === 'agent-not-found')

/** The agents of the rig; none when there is no city, no rig, or no one who knows. */
async function agentsOfRig(context: CommandContext, given: string | undefined): Promise<string[]> {
  try {
    const city = await context.city()
    const rig = await context.rig(city, given)
    if (rig === undefined || rig === city.name) return []
    const { items } = await city.call('GET ~/agents', { query: { rig } })
    return items.flatMap(({ name, pool }) => (pool === undefined ? [name] : [name, pool]))
  } catch {
    return []
  }
}
