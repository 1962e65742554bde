import { type DayUse, dayOf } from './days.ts'
import type { UsageHistory, UsageSeries } from './schema.ts'

const MAX_SERIES = 50

/** The days up to now, oldest first; a day of a clock change is one day. */
export function daysUntil(now: number, count: number): string[] {
  const noon = new Date(now)
  noon.setHours(12, 0, 0, 0)
  return Array.from({ length: count }, (_, at) => {
    const day = new Date(noon)
    day.setDate(day.getDate() - (count - 1 - at))
    return dayOf(day.getTime())
  })
}

/** Usage of each day: in total, by agent and by model. */
export function usageHistory(days: readonly string[], uses: readonly DayUse[]): UsageHistory {
  return {
    days: [...days],
    city: seriesOf('', days, uses),
    agents: groupBy(days, uses, ({ agent }) => agent),
    models: groupBy(days, uses, ({ model }) => model),
  }
}

/** Those that used the most; what no agent or model is known of has an empty name. */
function groupBy(days: readonly string[], uses: readonly DayUse[], nameOf: (use: DayUse) => string): UsageSeries[] {
  const groups = Map.groupBy(uses, nameOf)
  const all = [...groups].map(([name, own]) => seriesOf(name, days, own))
  return all.sort((a, b) => b.tokens - a.tokens || a.name.localeCompare(b.name)).slice(0, MAX_SERIES)
}

function seriesOf(name: string, days: readonly string[], uses: readonly DayUse[]): UsageSeries {
  const byDay = Map.groupBy(uses, ({ day }) => day)
  const sum = (some: readonly DayUse[], field: 'tokens' | 'cost' | 'invocations' | 'unpriced') =>
    some.reduce((total, use) => total + use[field], 0)
  return {
    name,
    invocations: sum(uses, 'invocations'),
    tokens: sum(uses, 'tokens'),
    cost_usd_estimate: roundUsd(sum(uses, 'cost')),
    unpriced: sum(uses, 'unpriced'),
    daily_tokens: days.map((day) => sum(byDay.get(day) ?? [], 'tokens')),
    daily_cost_usd: days.map((day) => roundUsd(sum(byDay.get(day) ?? [], 'cost'))),
  }
}

const roundUsd = (usd: number): number => Math.round(usd * 1e6) / 1e6
