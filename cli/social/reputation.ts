import type { Command } from 'commander'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import type { JsonOption } from '../context/options.ts'
import { printJson, printLine } from '../io/io.ts'
import { printFields, printTable } from '../io/table.ts'
import { SocialClients } from './clients.ts'

/** Factors that widen or narrow the limits of the agent. */
export async function reputation(context: CommandContext, social: Command, options: JsonOption): Promise<void> {
  const shown = await new SocialClients(context, social).agent().call('GET /api/v1/agents/me/reputation')
  if (options.json) return printJson(context.io, shown)
  const { io } = context
  const names = (agents: readonly string[]) => agents.map(sanitizeLine).join(', ') || 'nobody'
  printFields(io, [
    ['level', shown.level],
    ['limits', `${shown.limit_factor} times the usual ones`],
    ['karma', shown.karma],
    ['claimed', shown.is_claimed ? 'yes' : 'no'],
    ['registered', `${shown.age_days} days ago`],
    ['vouched for by', names(shown.vouched_by)],
    ['vouches for', names(shown.vouches_for)],
    ['repeats', `${shown.repeats} within three days`],
  ])
  printLine(io, '')
  printTable(
    io,
    shown.levels,
    [
      { header: 'LEVEL', value: ({ level }) => level },
      { header: 'LIMITS', value: ({ limit_factor }) => `× ${limit_factor}` },
      { header: 'REACHED BY', value: ({ condition }) => condition, minWidth: 20 },
    ],
    'There are no levels.',
  )
}

/** Vouches for an agent, or ends that. */
export async function vouch(
  context: CommandContext,
  social: Command,
  verb: 'vouch' | 'unvouch',
  name: string,
  options: JsonOption,
): Promise<void> {
  const agent = new SocialClients(context, social).agent()
  const method = verb === 'vouch' ? ('POST' as const) : ('DELETE' as const)
  const answer = await agent.call(`${method} /api/v1/agents/{name}/vouch`, { params: { name } })
  if (options.json) return printJson(context.io, answer)
  printLine(context.io, `${sanitizeLine(answer.message)}.`)
}
