import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Budget, BudgetKey, BudgetList } from '../../src/agents/budgets/schema.ts'
import type { Colour } from '../../src/client/text.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { draw, type Watch, withWatch } from '../context/watch.ts'
import { failure } from '../io/exit.ts'
import { type Io, json, line } from '../io/io.ts'
import { table } from '../io/table.ts'
import { short } from './usage.ts'

interface Whose {
  rig?: string
  agent?: string
  per: 'hour' | 'day'
}

export function budgetCommands(program: Command, here: Here): void {
  const budget = program.command('budget').description('how much may be used')
  withWatch(withJson(budget.command('list').description('list budgets, and what of each is used'))).action(
    (options: Json & Watch) => list(here, options),
  )
  whose(withJson(budget.command('set').description('limit what the city, a rig or an agent may use')))
    .argument('<limit>', 'such as 5usd, 2M or 500k (tokens)', amount)
    .action(async (limit: Amount, options: Whose & Json) => {
      const city = await here.city()
      const body = { ...keyOf(options, limit.unit), limit: limit.value }
      const set = await city.call('PUT ~/budgets', { body })
      if (options.json) return json(here.io, set)
      line(here.io, `${named(set)}: ${said(set.spent, set.unit)} of ${said(set.limit, set.unit)} are used.`)
    })
  whose(withJson(budget.command('remove').description('take a budget away')))
    .argument('<unit>', 'usd or tokens', unit)
    .action(async (of: Budget['unit'], options: Whose & Json) => {
      const city = await here.city()
      const removed = await city.call('DELETE ~/budgets', { query: keyOf(options, of) })
      if (options.json) return json(here.io, removed)
      line(here.io, 'The budget is taken away.')
    })
}

const whose = (command: Command): Command =>
  command
    .option('--rig <rig>', 'of one rig; of the whole city when neither is given')
    .option('--agent <agent>', 'of one agent, by its qualified name')
    .addOption(new Option('--per <period>', 'how often it begins anew').choices(['hour', 'day']).default('day'))

function keyOf({ rig, agent, per }: Whose, of: Budget['unit']): BudgetKey {
  if (rig !== undefined && agent !== undefined) throw failure('give --rig or --agent, not both')
  if (rig !== undefined) return { scope: 'rig', name: rig, unit: of, per }
  return agent === undefined ? { scope: 'city', unit: of, per } : { scope: 'agent', name: agent, unit: of, per }
}

interface Amount {
  value: number
  unit: Budget['unit']
}

/** `$5`, `5usd`, `2M`, `500k`, `1000000`. */
export function amount(text: string): Amount {
  const [, dollars] = /^\$?(\d+(?:\.\d+)?)(?:usd)?$/i.exec(text) ?? []
  if (dollars !== undefined && /[$u]/i.test(text)) return { value: Number(dollars), unit: 'usd' }
  const [, count, by = ''] = /^(\d+(?:\.\d+)?)([kM]?)(?:tokens)?$/.exec(text) ?? []
  if (count === undefined) throw new InvalidArgumentError('It must look like 5usd, 2M or 500k.')
  return { value: Math.round(Number(count) * ({ k: 1e3, M: 1e6 }[by] ?? 1)), unit: 'tokens' }
}

function unit(text: string): Budget['unit'] {
  if (text === 'usd' || text === 'tokens') return text
  throw new InvalidArgumentError('It must be usd or tokens.')
}

const said = (value: number, of: Budget['unit']): string =>
  of === 'usd' ? `$${value.toFixed(2)}` : `${short(value)} tokens`

const named = ({ scope, name, per }: Budget): string => `The ${scope}${name ? ` ${name}` : ''}, per ${per}`

const COLOURS: Record<Budget['state'], Colour | undefined> = { ok: 'green', warned: 'yellow', exhausted: 'red' }

async function list(here: Here, options: Json & Watch): Promise<void> {
  const city = await here.city()
  await draw(here, city, options, async (io) => {
    const budgets = await city.call('GET ~/budgets')
    if (options.json) json(io, budgets)
    else print(io, budgets)
  })
}

function print(io: Io, budgets: BudgetList): void {
  table(
    io,
    budgets.items,
    [
      { head: 'WHOSE', of: ({ scope, name }) => (name ? `${scope} ${name}` : scope), least: 8 },
      { head: 'PER', of: ({ per }) => per },
      { head: 'LIMIT', of: ({ limit, unit: of }) => said(limit, of) },
      { head: 'USED', of: ({ spent, unit: of }) => said(spent, of) },
      { head: 'STATE', of: ({ state }) => state, colour: ({ state }) => COLOURS[state] },
      { head: 'UNTIL', of: ({ period_end }) => new Date(period_end).toLocaleString('sv') },
    ],
    'There are no budgets; `gc budget set 5usd` limits what the city may use a day.',
  )
}
