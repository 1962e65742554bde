import type { Output } from '../../src/client/operations.ts'
import { type Action, isOneOf, type Line, table, text, whole } from './page.ts'

type Budget = Output<'GET ~/budgets'>['items'][number]
type Totals = Output<'GET ~/usage'>['today']
type Account = Output<'GET ~/accounts'>['items'][number]

const tokens = ({
  input_tokens: input,
  output_tokens: output,
}: Pick<Totals, 'input_tokens' | 'output_tokens'>): string => `${input} in · ${output} out`

const money = (usd: number, unpriced: number): string =>
  `$${usd.toFixed(2)}${unpriced > 0 ? ` and ${unpriced} turns without a price` : ''}`

/** What the city uses: tokens, money, time. */
export const usagePage = text({
  name: 'usage',
  aliases: ['costs'],
  title: 'usage',
  help: 'tokens, money and time that the city uses',
  isChangedBy: isOneOf('worker.operation', 'session.'),
  load: async ({ city, signal }) => {
    const {
      today,
      last_24h: day,
      recent_by_session: sessions = [],
    } = await city.call('GET ~/usage', { ...(signal && { signal }) })
    const line = (name: string, totals: Totals): Line => ({
      text: `${name.padEnd(15)} ${money(totals.cost_usd_estimate, totals.unpriced).padEnd(12)} ${tokens(totals)} · ${totals.invocations} turns`,
    })
    return {
      lines: [
        line('today', today),
        ...(day ? [line('last 24 hours', day)] : []),
        { text: '' },
        ...(sessions.length > 0 ? [{ text: 'by session, lately', tone: 'strong' as const }] : []),
        ...sessions.map(
          (each): Line => ({
            text: `${each.session.padEnd(24)} ${money(each.cost_usd_estimate, each.unpriced).padEnd(12)} ${tokens(each)}`,
          }),
        ),
      ],
    }
  },
})

/** What the city may use, and how much of it is left. */
export const budgetsPage = table<Budget>({
  name: 'budgets',
  title: 'budgets',
  help: 'what the city, its rigs and agents may use',
  empty: 'none: n sets one',
  columns: [
    { title: 'scope', width: 8, cell: ({ scope }) => scope },
    { title: 'name', width: 16, isName: true, cell: ({ name }) => name },
    { title: 'limit', width: 20, cell: ({ limit, unit, per }) => `${limit} ${unit} a ${per}` },
    {
      title: 'spent',
      width: 12,
      cell: ({ spent, limit }) => ({
        text: `${spent} (${Math.round((100 * spent) / Math.max(limit, 1e-9))}%)`,
        tone: spent >= limit ? 'bad' : 'plain',
      }),
    },
    {
      title: 'state',
      width: 10,
      grows: true,
      cell: ({ state }) => ({ text: state, tone: state === 'exhausted' ? 'bad' : 'quiet' }),
    },
  ],
  idOf: ({ scope, name = '', unit, per }) => `${scope}/${name}/${unit}/${per}`,
  isChangedBy: isOneOf('budget.', 'worker.operation'),
  load: async ({ city, signal }) => whole((await city.call('GET ~/budgets', { ...(signal && { signal }) })).items),
  actions: () => [setBudget],
})

const setBudget: Action = {
  key: 'n',
  name: 'budget',
  help: 'set what may be used',
  fields: [
    { name: 'scope', title: 'scope: city, rig or agent', initial: 'city' },
    { name: 'name', title: 'name of the rig or agent', isOptional: true },
    { name: 'limit', title: 'how much, as a number' },
    { name: 'unit', title: 'unit: usd or tokens', initial: 'usd' },
    { name: 'per', title: 'for each: day or hour', initial: 'day' },
  ],
  run: async ({ city }, { scope = '', name = '', limit = '', unit = '', per = '' }) => {
    const body = {
      scope: choose(scope, ['city', 'rig', 'agent']),
      unit: choose(unit, ['usd', 'tokens']),
      per: choose(per, ['day', 'hour']),
      limit: Number(limit),
      ...(name && { name }),
    }
    await city.call('PUT ~/budgets', { body })
    return { text: `${limit} ${unit} a ${per} for ${name || scope}` }
  },
}

/** One of the values that there are. */
function choose<Value extends string>(value: string, values: readonly Value[]): Value {
  const found = values.find((each) => each === value)
  if (found === undefined) throw new Error(`${value} is none of ${values.join(', ')}`)
  return found
}

/** The logins that agents’ programs run on, and until when they are limited. */
export const accountsPage = table<Account>({
  name: 'accounts',
  aliases: ['limits'],
  title: 'accounts',
  help: 'the logins that agents run on, and their limits',
  empty: 'none: gc account add NAME --provider claude',
  columns: [
    { title: 'account', width: 16, isName: true, cell: ({ name }) => name },
    { title: 'provider', width: 12, cell: ({ provider }) => provider },
    { title: 'state', width: 10, cell: ({ state }) => ({ text: state, tone: state === 'ok' ? 'good' : 'warning' }) },
    { title: 'until', width: 20, leaves: 1, cell: ({ until }) => until },
    { title: 'sessions', width: 8, leaves: 2, cell: ({ sessions }) => String(sessions) },
    { title: 'why', width: 12, grows: true, cell: ({ reason }) => ({ text: reason ?? '', tone: 'quiet' }) },
  ],
  idOf: ({ name, provider }) => `${provider}/${name}`,
  isChangedBy: isOneOf('login.', 'account.', 'config.'),
  load: async ({ city, signal }) => whole((await city.call('GET ~/accounts', { ...(signal && { signal }) })).items),
})
