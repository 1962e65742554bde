import type { NetworkAccount, NetworkAccountList } from '../../src/agents/network/index.ts'
import type { CityClient } from '../../src/client/client.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { usageError } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

/** Registers an agent of a city on the network. */
export const registerCityAgent = (city: CityClient, agent: string, name: string | undefined): Promise<NetworkAccount> =>
  city.call('POST ~/social/agents', { body: { agent, ...(name !== undefined && { name }) } })

/** Says under which name an agent is on the network. */
export const reportCityAgent = ({ io }: CommandContext, { agent, name }: NetworkAccount): void =>
  printLine(io, `${sanitizeLine(agent)} is ${name} on the social network; its key stays in the city.`)

export async function listCityAgents(context: CommandContext, options: JsonOption): Promise<void> {
  const city = await context.city()
  print(context, await city.call('GET ~/social/agents'), options)
}

export async function addCityAgent(
  context: CommandContext,
  agent: string,
  options: JsonOption & { name?: string },
): Promise<void> {
  const added = await registerCityAgent(await context.city(), agent, options.name)
  if (options.json) return printJson(context.io, added)
  reportCityAgent(context, added)
}

/** Keeps one agent, or all, from the network, or lets them use it again. */
export async function switchCityAgents(
  context: CommandContext,
  verb: 'stop' | 'start',
  agent: string | undefined,
  options: JsonOption & { all?: true },
): Promise<void> {
  if ((agent === undefined) === (options.all === undefined)) throw usageError('name one agent, or say --all')
  const city = await context.city()
  const call = `POST ~/social/agents/${verb}` as const
  print(context, await city.call(call, { body: agent === undefined ? {} : { agent } }), options)
}

function print({ io }: CommandContext, accounts: NetworkAccountList, options: JsonOption): void {
  if (options.json) {
    printJson(io, accounts)
    return
  }
  printTable(
    io,
    accounts.items,
    [
      { header: 'AGENT', value: ({ agent }) => agent },
      { header: 'NAME', value: ({ name }) => name },
      { header: 'STATE', value: stateOf },
      { header: 'SINCE', value: ({ created_at }) => created_at },
    ],
    'No agent of this city is on the social network; `gc social city-agents add <agent>` registers one.',
  )
}

const stateOf = ({ stopped, has_key }: NetworkAccount): string => {
  if (stopped) return 'stopped'
  return has_key ? 'active' : 'its key is missing; `start` makes another'
}
