import type { Command } from 'commander'
import type { PriceList, UsageBody, UsageSessionRecent, UsageTotals } from '../../src/agents/usage/index.ts'
import type { ReviewerTotals } from '../../src/changes/review/index.ts'
import { formatCount, formatDuration } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { renderLive, type WatchOption, withWatch } from '../context/watch.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import { type Column, printTable } from '../io/table.ts'

export function usageCommand(program: Command, context: CommandContext): void {
  withWatch(withJson(program.command('usage').alias('costs').description('show tokens, money and time used'))).action(
    async (options: JsonOption & WatchOption) => {
      const city = await context.city()
      await renderLive(context, city, options, async (io) => {
        const usage = await city.call('GET ~/usage')
        if (options.json) printJson(io, usage)
        else {
          print(io, usage, await city.call('GET ~/usage/prices'))
          const reviews = await city.call('GET ~/changes/reviewers')
          printReviews(io, reviews.items)
          printChanges(io, reviews.changes)
        }
      })
    },
  )
}

function print(io: Io, usage: UsageBody, prices: PriceList): void {
  if (!usage.available) {
    printLine(io, 'Usage is not recorded; enable it in [usage] of city.toml.')
    return
  }
  const periods: [string, UsageTotals | undefined][] = [
    ['today', usage.today],
    ['last 24 hours', usage.last_24h],
    [`last ${usage.recent_window_secs / 60} minutes`, usage.recent],
  ]
  const rows = periods.flatMap(([period, totals]) => (totals ? [{ period, ...totals }] : []))
  printTable(
    io,
    rows,
    [
      { header: 'PERIOD', value: ({ period }) => period },
      ...columns<(typeof rows)[number]>(),
      { header: 'TIME', value: ({ wall_seconds }) => formatHours(wall_seconds) },
    ],
    '',
  )
  if (usage.recent_by_session?.length) {
    printLine(io, '')
    printTable(
      io,
      usage.recent_by_session,
      [{ header: 'SESSION', value: ({ session }) => session, minWidth: 8 }, ...columns<UsageSessionRecent>()],
      '',
    )
  }
  printLine(io, '')
  printLine(io, `Prices as of ${prices.date}${prices.source === 'file' ? ', from $GC_HOME/prices.json' : ''}.`)
}

/** Decisions of people about changes, and the time from their first looks to these. */
function printReviews(io: Io, reviewers: ReviewerTotals['items']): void {
  if (reviewers.length === 0) return
  printLine(io, '')
  printTable(
    io,
    reviewers,
    [
      { header: 'REVIEWER', value: ({ person }) => person, minWidth: 8 },
      { header: 'ASKED', value: ({ asked }) => asked },
      { header: 'APPROVED', value: ({ approved }) => approved },
      { header: 'DISCARDED', value: ({ discarded }) => discarded },
      { header: 'TIME', value: ({ seconds }) => formatDuration(seconds * 1000) },
    ],
    '',
  )
}

/** The newest changes that were decided: the time that each person needed, and what all attempts at them cost. */
function printChanges(io: Io, changes: ReviewerTotals['changes']): void {
  if (changes.length === 0) return
  const timeOf = ({ person, seconds }: { person: string; seconds: number }) =>
    `${person} ${formatDuration(seconds * 1000)}`
  printLine(io, '')
  printTable(
    io,
    changes,
    [
      { header: 'CHANGE', value: ({ id }) => id },
      { header: 'STATE', value: ({ state }) => state },
      { header: 'AGENT', value: ({ agent }) => agent, minWidth: 8 },
      { header: 'REVIEW', value: ({ reviewers }) => reviewers.map(timeOf).join(', '), minWidth: 8 },
      { header: 'SESSIONS', value: ({ cost }) => cost.attempts },
      { header: 'TOKENS', value: ({ cost }) => formatCount(cost.tokens) },
      { header: 'COST', value: ({ cost }) => formatCost(cost) },
    ],
    '',
  )
}

type UsageCounts = Pick<
  UsageTotals,
  'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_creation_tokens' | 'cost_usd_estimate' | 'unpriced'
>

const columns = <Row extends UsageCounts>(): Column<Row>[] => [
  { header: 'IN', value: (row) => formatCount(row.input_tokens) },
  { header: 'OUT', value: (row) => formatCount(row.output_tokens) },
  { header: 'CACHE READ', value: (row) => formatCount(row.cache_read_tokens) },
  { header: 'CACHE WRITE', value: (row) => formatCount(row.cache_creation_tokens) },
  { header: 'COST', value: formatCost },
]

/** The estimated cost, and the number of answers without a known price. */
function formatCost({ cost_usd_estimate, unpriced }: Pick<UsageCounts, 'cost_usd_estimate' | 'unpriced'>): string {
  const dollars = `$${cost_usd_estimate.toFixed(2)}`
  return unpriced > 0 ? `${dollars} + ${unpriced} unpriced` : dollars
}

const formatHours = (seconds: number): string => `${(seconds / 3600).toFixed(1)}h`
