import type { Command } from 'commander'
import type { UsageBody, UsageSessionRecent, UsageTotals } from '../../src/agents/usage/schema.ts'
import type { Here } from '../context/context.ts'
import { type Json, withJson } from '../context/options.ts'
import { draw, type Watch, withWatch } from '../context/watch.ts'
import { type Io, json, line } from '../io/io.ts'
import { type Column, table } from '../io/table.ts'

export function usageCommand(program: Command, here: Here): void {
  withWatch(withJson(program.command('usage').description('what the city uses: tokens, money, time'))).action(
    async (options: Json & Watch) => {
      const city = await here.city()
      await draw(here, city, options, async (io) => {
        const usage = await city.call('GET ~/usage')
        if (options.json) json(io, usage)
        else print(io, usage)
      })
    },
  )
}

function print(io: Io, usage: UsageBody): void {
  if (!usage.available) {
    line(io, 'Usage is not written down here: city.toml says so in [usage].')
    return
  }
  const spans: [string, UsageTotals | undefined][] = [
    ['today', usage.today],
    ['last 24 hours', usage.last_24h],
    [`last ${usage.recent_window_secs / 60} minutes`, usage.recent],
  ]
  const rows = spans.flatMap(([span, totals]) => (totals ? [{ span, ...totals }] : []))
  table(
    io,
    rows,
    [
      { head: 'SPAN', of: ({ span }) => span },
      ...columns<(typeof rows)[number]>(),
      { head: 'TIME', of: ({ wall_seconds }) => hours(wall_seconds) },
    ],
    '',
  )
  if (!usage.recent_by_session?.length) return
  line(io, '')
  table(
    io,
    usage.recent_by_session,
    [{ head: 'SESSION', of: ({ session }) => session, least: 8 }, ...columns<UsageSessionRecent>()],
    '',
  )
}

type Counted = Pick<
  UsageTotals,
  'input_tokens' | 'output_tokens' | 'cache_read_tokens' | 'cache_creation_tokens' | 'cost_usd_estimate' | 'unpriced'
>

const columns = <Row extends Counted>(): Column<Row>[] => [
  { head: 'IN', of: (row) => short(row.input_tokens) },
  { head: 'OUT', of: (row) => short(row.output_tokens) },
  { head: 'CACHE READ', of: (row) => short(row.cache_read_tokens) },
  { head: 'CACHE WRITE', of: (row) => short(row.cache_creation_tokens) },
  { head: 'COST', of: cost },
]

/** An estimate; answers without a known price make it a least. */
function cost({ cost_usd_estimate, unpriced }: Counted): string {
  const dollars = `$${cost_usd_estimate.toFixed(2)}`
  return unpriced > 0 ? `${dollars} + ${unpriced} unpriced` : dollars
}

/** `950`, `12.3k`, `4.5M`. */
export function short(count: number): string {
  if (count < 1000) return String(count)
  return count < 1e6 ? `${(count / 1000).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`
}

const hours = (seconds: number): string => `${(seconds / 3600).toFixed(1)}h`
