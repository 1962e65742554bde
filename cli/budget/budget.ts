import { type Command, InvalidArgumentError, Option } from 'commander'
import type { Budget, BudgetKey, BudgetList } from '../../src/agents/usage/index.ts'
import { type Colour, formatCount } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { renderLive, type WatchOption, withWatch } from '../context/watch.ts'
import { notFound, usageError } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { printTable } from '../io/table.ts'

interface ScopeOptions {
  rig?: string
  agent?: string
  per: 'hour' | 'day'
}

export function budgetCommands(program: Command, context: CommandContext): void {
  const budget = program.command('budget').description('set limits on tokens and money')
  withWatch(withJson(budget.command('list').description('list budgets and how much is used'))).action(
    (options: JsonOption & WatchOption) => list(context, options),
  )
  withScope(withJson(budget.command('set').description('set a budget for the city, a rig or an agent')))
    .argument('<limit>', 'limit, such as 5usd, 2M or 500k tokens', parseAmount)
    .action(async (limit: Amount, options: ScopeOptions & JsonOption) => {
      const city = await context.city()
      const body = { ...keyOf(options, limit.unit), limit: limit.value }
      const set = await city.call('PUT ~/budgets', { body })
      if (options.json) return printJson(context.io, set)
      printLine(
        context.io,
        `${describeScope(set)}: ${formatAmount(set.spent, set.unit)} of ${formatAmount(set.limit, set.unit)} are used.`,
      )
      printUncounted(context.io, await city.call('GET ~/budgets'))
    })
  withJson(budget.command('strict').description('refuse turns to budgeted agents that report no usage')).action(
    async (options: JsonOption) => {
      const city = await context.city()
      const budgets = await city.call('POST ~/budgets/strict')
      if (options.json) return printJson(context.io, budgets)
      printLine(context.io, 'Budgets are strict: an agent whose program does not report what it uses gets no turn.')
      printUncounted(context.io, budgets)
    },
  )
  withScope(withJson(budget.command('remove').description('remove a budget')))
    .argument('<unit>', 'unit: usd or tokens', parseUnit)
    .action(async (of: Budget['unit'], options: ScopeOptions & JsonOption) => {
      const city = await context.city()
      const key = keyOf(options, of)
      const { items } = await city.call('GET ~/budgets')
      const isOf = ({ scope, name = '', unit, per }: BudgetKey) =>
        scope === key.scope && name === (key.name ?? '') && unit === key.unit && per === key.per
      if (!items.some(isOf))
        throw notFound('budget-not-found', 'there is no such budget; `gc budget list` lists valid names')
      const removed = await city.call('DELETE ~/budgets', { query: key })
      if (options.json) return printJson(context.io, removed)
      printLine(context.io, 'The budget was removed.')
    })
}

const withScope = (command: Command): Command =>
  command
    .option('--rig <rig>', 'rig of the budget; default is the city')
    .option('--agent <agent>', 'agent of the budget, by its qualified name')
    .addOption(new Option('--per <period>', 'period of the budget').choices(['hour', 'day']).default('day'))

function keyOf({ rig, agent, per }: ScopeOptions, of: Budget['unit']): BudgetKey {
  if (rig !== undefined && agent !== undefined) throw usageError('give --rig or --agent, not both')
  if (rig !== undefined) return { scope: 'rig', name: rig, unit: of, per }
  return agent === undefined ? { scope: 'city', unit: of, per } : { scope: 'agent', name: agent, unit: of, per }
}

export interface Amount {
  value: number
  unit: Budget['unit']
}

/** `$5`, `5usd`, `2M`, `500k`, `1000000tokens`. */
export function parseAmount(text: string): Amount {
  const [, dollars] = /^\$?(\d+(?:\.\d+)?)(?:usd)?$/i.exec(text) ?? []
  if (dollars !== undefined && /[$u]/i.test(text)) return { value: Number(dollars), unit: 'usd' }
  const [, count, by = ''] = /^(\d+(?:\.\d+)?)([kM]?)(?:tokens)?$/.exec(text) ?? []
  if (count !== undefined && text === count) {
    throw new InvalidArgumentError(`It needs a unit: ${text}usd for dollars, ${text}tokens for tokens.`)
  }
  if (count === undefined) throw new InvalidArgumentError('It must look like 5usd, 2M or 500k.')
  return { value: Math.round(Number(count) * ({ k: 1e3, M: 1e6 }[by] ?? 1)), unit: 'tokens' }
}

function parseUnit(text: string): Budget['unit'] {
  if (text === 'usd' || text === 'tokens') return text
  throw new InvalidArgumentError('It must be usd or tokens.')
}

export const formatAmount = (value: number, of: Budget['unit']): string =>
  of === 'usd' ? `$${value.toFixed(2)}` : `${formatCount(value)} tokens`

const describeScope = ({ scope, name, per }: Budget): string => `The ${scope}${name ? ` ${name}` : ''}, per ${per}`

const COLOURS: Record<Budget['state'], Colour | undefined> = { ok: 'green', warned: 'yellow', exhausted: 'red' }

async function list(context: CommandContext, options: JsonOption & WatchOption): Promise<void> {
  const city = await context.city()
  await renderLive(context, city, options, async (io) => {
    const budgets = await city.call('GET ~/budgets')
    if (options.json) printJson(io, budgets)
    else print(io, budgets)
  })
}

function print(io: Io, budgets: BudgetList): void {
  printTable(
    io,
    budgets.items,
    [
      { header: 'SCOPE', value: ({ scope, name }) => (name ? `${scope} ${name}` : scope), minWidth: 8 },
      { header: 'PER', value: ({ per }) => per },
      { header: 'LIMIT', value: ({ limit, unit: of }) => formatAmount(limit, of) },
      { header: 'USED', value: ({ spent, unit: of }) => formatAmount(spent, of) },
      {
        header: 'OVER',
        value: ({ overshoot, unit: of }) => (overshoot === undefined ? '' : formatAmount(overshoot, of)),
      },
      { header: 'ASSUMED', value: ({ assumed }) => (assumed === undefined ? '' : formatAmount(assumed, 'usd')) },
      { header: 'STATE', value: ({ state }) => state, colour: ({ state }) => COLOURS[state] },
      { header: 'UNTIL', value: ({ period_end }) => new Date(period_end).toLocaleString('sv') },
    ],
    'There are no budgets; `gc budget set 5usd` limits what the city may use each day.',
  )
  printUncounted(io, budgets)
}

/** Agents that no budget counts, with the fix. */
function printUncounted(io: Io, { uncounted, strict }: BudgetList): void {
  if (uncounted.length === 0) return
  const names = uncounted.map(({ agent }) => agent).join(', ')
  const consequence = strict
    ? 'They get no turn.'
    : 'They work, and no budget counts what they use; gc budget strict stops them.'
  printLine(io, `The use of these agents is unknown, since their programs do not report it: ${names}. ${consequence}`)
  printLine(io, 'If one costs nothing, write cost = "none" where it is declared.')
}
