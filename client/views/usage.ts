import type { Output } from '../../src/client/operations.ts'
import { countOf, formatCount, formatDuration, formatTime } from '../../src/client/text.ts'
import { amount, BAR_SIGNS, limitOf, money, progressBar, sparkLine, tokens } from './figures.ts'
import { type Action, isOneOf, type Line, table, text, whole } from './page.ts'
import { section } from './sections.ts'

type Budgets = Output<'GET ~/budgets'>
type Budget = Budgets['items'][number]
type Used = Output<'GET ~/usage'>
type Totals = Used['today']
type History = Output<'GET ~/usage/days'>
type Series = History['city']
type Account = Output<'GET ~/accounts'>['items'][number]

const DAYS = 14
const NAME = 26
/** Columns of a bar. */
const BAR = 14

const tokensOf = ({ input_tokens, output_tokens, cache_read_tokens, cache_creation_tokens }: Totals): number =>
  input_tokens + output_tokens + cache_read_tokens + cache_creation_tokens

/** Usage of the city: tokens, money, time; the rate, and each day. */
export const usagePage = text({
  name: 'usage',
  aliases: ['costs'],
  title: 'usage',
  help: 'tokens and money that the city uses: how fast, and by day, agent and model',
  isChangedBy: isOneOf('worker.operation', 'session.', 'budget.'),
  load: async ({ city, signal }) => {
    const call = signal ? { signal } : {}
    const [used, history, budgets] = await Promise.all([
      city.call('GET ~/usage', call),
      city.call('GET ~/usage/days', { query: { days: DAYS }, ...call }),
      city.call('GET ~/budgets', call),
    ])
    return {
      head: [...headLines(used), ...budgets.items.map((each) => budgetLine(each, used))],
      lines: [...historyLines(history), ...sessionLines(used)],
    }
  },
})

function headLines(used: Used): Line[] {
  if (!used.recording) return [{ text: 'Usage is not recorded here: see [usage] in city.toml.', tone: 'warning' }]
  const { today, last_24h: day, recent, recent_window_secs: seconds } = used
  const perHour = (amount: number) => (amount * 3600) / Math.max(1, seconds)
  const rate = `${money(perHour(recent.cost_usd_estimate), 0)} · ${formatCount(Math.round(perHour(tokensOf(recent))))} tokens an hour`
  return [
    { text: `${'now'.padEnd(NAME)} ${rate}, by the last ${Math.round(seconds / 60)} minutes`, tone: 'strong' },
    totalsLine('today', today),
    ...(day ? [totalsLine('last 24 hours', day)] : []),
  ]
}

/** Usage of a budget, and the end of the city's at this rate. */
function budgetLine(budget: Budget, { recent, recent_window_secs: seconds }: Used): Line {
  const { scope, name, spent, limit, unit, state } = budget
  const rate = (unit === 'usd' ? recent.cost_usd_estimate : tokensOf(recent)) / Math.max(1, seconds)
  const left = (limit - spent) / rate
  const isSoon = scope === 'city' && Number.isFinite(left) && left > 0
  const end = isSoon ? `used up in ${formatDuration(left * 1000)} at this rate` : state === 'exhausted' ? 'used up' : ''
  const text = [`${amount(spent, unit)} of ${limitOf(budget)}`, end].filter(Boolean).join(' · ')
  const title = shorten(`budget${name ? ` of ${name}` : ''}`, NAME)
  const bar = progressBar(limit <= 0 ? 1 : spent / limit, BAR, BAR_SIGNS)
  return {
    text: `${title.padEnd(NAME)} ${bar} ${text}`,
    said: `${title} ${text}`,
    tone: state === 'exhausted' ? 'bad' : state === 'warned' ? 'warning' : 'plain',
  }
}

const totalsLine = (name: string, totals: Totals): Line => ({
  text: `${name.padEnd(NAME)} ${money(totals.cost_usd_estimate, totals.unpriced)} · ${tokens(totals)} · ${countOf(totals.invocations, 'turn')}`,
})

function historyLines({ days, city, agents, models }: History): Line[] {
  const first = days[0]?.slice(5) ?? ''
  const title = `${''.padEnd(NAME)} ${`since ${first}`.padEnd(DAYS)} ${'today'.padEnd(TODAY)} ${'share'.padEnd(BAR)} in all`
  const of = (all: readonly Series[], unnamed: string) =>
    all.map((each) => seriesLine({ ...each, name: each.name || unnamed }, shareOf(each, city)))
  return [
    { text: '' },
    { text: title, tone: 'quiet' },
    seriesLine({ ...city, name: 'the city' }, undefined),
    ...section('by agent', of(agents, 'no agent')),
    ...section('by model', of(models, 'not known')),
  ]
}

/** Columns of what was used today. */
const TODAY = 8

/** The part of the city's money, or of its tokens if nothing has a price. */
const shareOf = (each: Series, city: Series): number =>
  city.cost_usd_estimate > 0 ? each.cost_usd_estimate / city.cost_usd_estimate : each.tokens / Math.max(1, city.tokens)

/** Draws tokens if nothing has a price. */
function seriesLine(
  { name, cost_usd_estimate: usd, daily_cost_usd, daily_tokens, tokens: all, unpriced }: Series,
  share: number | undefined,
): Line {
  const daily = usd > 0 ? daily_cost_usd : daily_tokens
  const today = usd > 0 ? money(daily_cost_usd.at(-1) ?? 0, 0) : formatCount(daily_tokens.at(-1) ?? 0)
  const whole = `${money(usd, unpriced)} · ${formatCount(all)} tokens`
  const bar = share === undefined ? ' '.repeat(BAR) : progressBar(share, BAR, BAR_SIGNS)
  const said = `${name}: ${today} today, ${whole} in all`
  return {
    text: `${shorten(name, NAME).padEnd(NAME)} ${sparkLine(daily)} ${today.padEnd(TODAY)} ${bar} ${whole}`,
    said,
  }
}

const shorten = (name: string, width: number): string => (name.length <= width ? name : `${name.slice(0, width - 1)}…`)

function sessionLines({ recent_by_session: sessions = [] }: Used): Line[] {
  return section(
    'by session, in the last minutes',
    sessions.map(
      (each): Line => ({
        text: `${shorten(each.session, NAME).padEnd(NAME)} ${money(each.cost_usd_estimate, each.unpriced)} · ${tokens(each)}`,
      }),
    ),
  )
}

/** Budgets of the city, with the rest of each. */
export const budgetsPage = table<Budget>({
  name: 'budgets',
  title: 'budgets',
  help: 'what the city, its rigs and agents may use',
  empty: 'none: n sets one',
  columns: [
    { title: 'scope', width: 6, cell: ({ scope }) => scope },
    { title: 'name', width: 16, isName: true, cell: ({ name }) => name },
    { title: 'limit', width: 22, cell: limitOf },
    {
      title: 'spent',
      width: 19,
      cell: ({ spent, limit, unit }) => ({
        text: `${amount(spent, unit)} (${Math.round((100 * spent) / Math.max(limit, 1e-9))}%)`,
        tone: spent >= limit ? 'bad' : 'plain',
        part: limit <= 0 ? 1 : spent / limit,
      }),
    },
    {
      title: 'state',
      width: 9,
      cell: ({ state }) => ({ text: state, tone: state === 'exhausted' ? 'bad' : 'quiet' }),
    },
    {
      title: 'until',
      width: 19,
      leaves: 1,
      cell: ({ period_end }) => ({ text: formatTime(period_end), tone: 'quiet' }),
    },
  ],
  idOf: ({ scope, name = '', unit, per }) => `${scope}/${name}/${unit}/${per}`,
  isChangedBy: isOneOf('budget.', 'worker.operation'),
  load: async ({ city, signal }) => {
    const { items, uncounted, strict } = await city.call('GET ~/budgets', { ...(signal && { signal }) })
    return { ...whole(items), head: uncountedLines(uncounted, strict) }
  },
  actionsOf: (budget) => [removeBudget(budget)],
  actions: () => [setBudget],
})

/** The agents whose programs report no usage, and the result of that. */
function uncountedLines(uncounted: Budgets['uncounted'], strict: boolean): Line[] {
  if (uncounted.length === 0) return []
  const names = uncounted.map(({ agent }) => agent).join(', ')
  const what = strict ? 'they get no turn' : 'no budget counts what they use'
  const toDo = 'cost = "none" on an agent says that it costs nothing'
  return [{ text: `uncounted: ${names}: their programs do not report usage, so ${what}; ${toDo}`, tone: 'warning' }]
}

const removeBudget = ({ scope, name, unit, per, limit }: Budget): Action => {
  const what = `${limitOf({ limit, unit, per })} for ${name || scope}`
  const put: Action['run'] = async ({ city }) => {
    await city.call('PUT ~/budgets', { body: { scope, unit, per, limit, ...(name && { name }) } })
    return { text: `${what} is set again` }
  }
  return {
    key: 'x',
    name: 'remove',
    help: 'remove the budget',
    confirm: `Remove the budget of ${what}? That usage is then unlimited.`,
    run: async ({ city }) => {
      await city.call('DELETE ~/budgets', { query: { scope, unit, per, ...(name && { name }) } })
      return { text: `the budget of ${what} is removed`, undo: { name: 'budget', run: put } }
    },
  }
}

const SCOPES = ['city', 'rig', 'agent'] as const
const UNITS = ['usd', 'tokens'] as const
const PERIODS = ['day', 'hour'] as const

function toLimit(text: string): number {
  const limit = Number(text)
  if (!(limit > 0)) throw new Error(`"${text}" is not a limit: write a number above 0, such as 5 or 0.5`)
  return limit
}

const setBudget: Action = {
  key: 'n',
  name: 'budget',
  help: 'set what may be used',
  fields: [
    { name: 'scope', title: 'scope', initial: 'city', choices: SCOPES },
    { name: 'name', title: 'name of the rig or agent', isOptional: true },
    { name: 'limit', title: 'how much, as a number' },
    { name: 'unit', title: 'unit', initial: 'usd', choices: UNITS },
    { name: 'per', title: 'for each', initial: 'day', choices: PERIODS },
  ],
  run: async ({ city }, { scope = '', name = '', limit = '', unit = '', per = '' }) => {
    const body = {
      scope: choose(scope, SCOPES),
      unit: choose(unit, UNITS),
      per: choose(per, PERIODS),
      limit: toLimit(limit),
      ...(name && { name }),
    }
    await city.call('PUT ~/budgets', { body })
    return { text: `${limitOf(body)} for ${name || scope}` }
  },
}

/** One of the known values. */
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
    { title: 'account', width: 16, grows: true, isName: true, cell: ({ name }) => name },
    { title: 'provider', width: 12, cell: ({ provider }) => provider },
    { title: 'state', width: 10, cell: ({ state }) => ({ text: state, tone: state === 'ok' ? 'good' : 'warning' }) },
    { title: 'until', width: 20, leaves: 1, cell: ({ until }) => (until === undefined ? '' : formatTime(until)) },
    { title: 'sessions', width: 8, leaves: 2, cell: ({ sessions }) => String(sessions) },
    { title: 'why', width: 12, grows: true, cell: ({ reason }) => ({ text: reason ?? '', tone: 'quiet' }) },
  ],
  idOf: ({ name, provider }) => `${provider}/${name}`,
  isChangedBy: isOneOf('login.', 'account.', 'config.'),
  load: async ({ city, signal }) => whole((await city.call('GET ~/accounts', { ...(signal && { signal }) })).items),
})
