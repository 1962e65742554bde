import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'

/** The implementation of these commands, loaded on demand. */
const cityAgents = () => import('./city-agent-actions.ts')

export function cityAgentCommands(social: Command, context: CommandContext): void {
  const agents = social.command('city-agents').description('manage agents of a city on the network')
  withJson(agents.command('list', { isDefault: true }).description('list agents of the city on the network')).action(
    async (options: JsonOption) => (await cityAgents()).listCityAgents(context, options),
  )
  withJson(agents.command('add').description('register an agent of the city'))
    .argument('<agent>', '`rig/name`, or `name` for an agent of the city')
    .option('--name <name>', 'name on the network; default is city and agent')
    .action(async (agent: string, options: JsonOption & { name?: string }) =>
      (await cityAgents()).addCityAgent(context, agent, options),
    )
  for (const [verb, description] of [
    ['stop', 'revoke the key of an agent immediately'],
    ['start', 'restore the access of an agent'],
  ] as const) {
    withJson(agents.command(verb).description(description))
      .argument('[agent]')
      .option('--all', 'include all agents of the city')
      .action(async (agent: string | undefined, options: JsonOption & { all?: true }) =>
        (await cityAgents()).switchCityAgents(context, verb, agent, options),
      )
  }
}
