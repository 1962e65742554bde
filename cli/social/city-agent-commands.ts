import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'

/** The implementation of these commands, loaded on demand. */
const cityAgents = () => import('./city-agent-actions.ts')

export function cityAgentCommands(social: Command, context: CommandContext): void {
  const agents = social.command('city-agents').description('the agents of a city that use the network')
  withJson(agents.command('list', { isDefault: true }).description('list them')).action(async (options: JsonOption) =>
    (await cityAgents()).listCityAgents(context, options),
  )
  withJson(agents.command('add').description('register an agent of the city; its key stays in the city'))
    .argument('<agent>', '`rig/name`, or `name` for an agent of the city')
    .option('--name <name>', 'its name on the network; default is that of the city and the agent')
    .action(async (agent: string, options: JsonOption & { name?: string }) =>
      (await cityAgents()).addCityAgent(context, agent, options),
    )
  for (const [verb, description] of [
    ['stop', 'revoke the key of an agent immediately'],
    ['start', 'let an agent use the network again'],
  ] as const) {
    withJson(agents.command(verb).description(description))
      .argument('[agent]')
      .option('--all', 'all agents of the city')
      .action(async (agent: string | undefined, options: JsonOption & { all?: true }) =>
        (await cityAgents()).switchCityAgents(context, verb, agent, options),
      )
  }
}
