import type { Budget } from '../agents/usage/index.ts'
import type { ChangeTotal } from '../changes/review/index.ts'
import { type Labels, type NumberMetric, type Sample, samplesBy } from '../core/metrics/index.ts'
import { isRunning, wireState } from '../work/sessions/index.ts'
import type { CityServices } from './services.ts'

/** The metrics of one city: read from counters and from what is live, so that they cost the same in an old city. */
export const cityMetrics = (city: CityServices): NumberMetric[] => [
  ...sessionMetrics(city),
  ...workMetrics(city),
  ...orderMetrics(city),
  ...budgetMetrics(city.budgets.current()),
  ...reviewMetrics(city),
  ...changeMetrics(city),
  ...city.landings.metrics(),
  {
    name: 'gc_logins_held',
    help: 'Logins that agents cannot work with, by state: limited until later, or dead until a person logs in.',
    type: 'gauge',
    samples: samplesBy('state', heldLogins(city)),
  },
]

function sessionMetrics({ sessionRepository }: CityServices): NumberMetric[] {
  const live = sessionRepository.live()
  return [
    {
      name: 'gc_sessions',
      help: 'Sessions that are not closed, by state.',
      type: 'gauge',
      samples: samplesBy('state', countBy(live.map(wireState))),
    },
    gauge('gc_sessions_running', 'Sessions whose program runs.', live.filter(isRunning).length),
  ]
}

function workMetrics({ beads, runs }: CityServices): NumberMetric[] {
  const ready = beads
    .counts()
    .values()
    .reduce((sum, counts) => sum + counts.ready, 0)
  return [
    {
      name: 'gc_beads',
      help: 'Beads by status; messages, convoys, convergences and sessions are not counted.',
      type: 'gauge',
      samples: samplesBy(
        'status',
        beads.countsByStatus().map(({ status, n }) => [status, n]),
      ),
    },
    gauge('gc_beads_ready', 'Open beads that nothing blocks.', ready),
    {
      name: 'gc_runs',
      help: 'Runs of formulas by status, including finished ones.',
      type: 'gauge',
      samples: samplesBy('status', Object.entries(runs.census().status_counts)),
    },
  ]
}

function orderMetrics({ orderLibrary, orderDispatcher }: CityServices): NumberMetric[] {
  const due = orderLibrary.current.filter(
    (order) => orderDispatcher.holdOf(order) === undefined && orderDispatcher.expect(order).due,
  )
  const live = { starting: 0, running: 0 }
  for (const { state } of orderDispatcher.runs.live()) if (state !== 'done') live[state]++
  return [
    gauge(
      'gc_orders_due',
      'Orders that are due and held by nothing; those that wait for a condition are not counted.',
      due.length,
    ),
    {
      name: 'gc_order_runs',
      help: 'Runs of orders that are not over, by state.',
      type: 'gauge',
      samples: samplesBy('state', Object.entries(live)),
    },
  ]
}

function budgetMetrics(budgets: readonly Budget[]): NumberMetric[] {
  const samples = (value: (budget: Budget) => number): Sample[] =>
    budgets.map((budget) => ({ labels: labelsOf(budget), value: value(budget) }))
  return [
    {
      name: 'gc_budget_spent',
      help: 'Usage in the current period of a budget, in its unit.',
      type: 'gauge',
      samples: samples(({ spent }) => spent),
    },
    {
      name: 'gc_budget_limit',
      help: 'Limit of a budget for one period, in its unit.',
      type: 'gauge',
      samples: samples(({ limit }) => limit),
    },
  ]
}

function reviewMetrics({ changeRows }: CityServices): NumberMetric[] {
  const items = changeRows.people()
  const decisions = (['asked', 'approved', 'discarded'] as const).map(
    (decision) => [decision, items.reduce((sum, person) => sum + person[decision], 0)] as [string, number],
  )
  return [
    {
      name: 'gc_changes',
      help: 'Changes that are neither landed nor discarded, by state.',
      type: 'gauge',
      samples: samplesBy('state', changeRows.counts()),
    },
    {
      name: 'gc_reviews_total',
      help: 'Reviews of changes by decision.',
      type: 'counter',
      samples: samplesBy('decision', decisions),
    },
    {
      name: 'gc_review_seconds_total',
      help: 'Time that people spent from their first look at a change to their decision, by person.',
      type: 'counter',
      samples: items.map(({ person, seconds }) => ({ labels: { person }, value: seconds })),
    },
  ]
}

/** Decisions about the changes of each agent of a rig, and what these cost. */
function changeMetrics({ changeRows, config }: CityServices): NumberMetric[] {
  const agents = config.current.agents.flatMap(({ dir, qualified }) =>
    dir === undefined ? [] : [{ rig: dir, agent: qualified }],
  )
  const totals = changeRows.totals(agents)
  const counter = (name: string, help: string, value: (total: ChangeTotal) => number): NumberMetric => ({
    ...{ name, help, type: 'counter' },
    samples: totals.map((total) => ({ labels: { rig: total.rig, agent: total.agent }, value: value(total) })),
  })
  return [
    {
      name: 'gc_changes_decided_total',
      help: 'Changes by outcome, rig and agent; a change that was approved and landed counts as both.',
      type: 'counter',
      samples: totals.flatMap(({ rig, agent, ...total }) =>
        (['approved', 'landed', 'discarded'] as const).map((state) => ({
          labels: { rig, agent, state },
          value: total[state],
        })),
      ),
    },
    counter(
      'gc_change_review_seconds_total',
      'Time that people spent from their first look at changes to their decisions, by rig and agent.',
      ({ seconds }) => seconds,
    ),
    counter(
      'gc_change_tokens_total',
      'Tokens that decided changes had used, failed attempts included, by rig and agent.',
      ({ tokens }) => tokens,
    ),
    counter(
      'gc_change_cost_usd_total',
      'Estimated cost of decided changes, failed attempts included, by rig and agent.',
      ({ cost }) => cost,
    ),
    counter(
      'gc_change_unpriced_total',
      'Model responses for decided changes whose price is not known, by rig and agent.',
      ({ unpriced }) => unpriced,
    ),
  ]
}

const labelsOf = ({ scope, name = '', unit, per }: Budget): Labels => ({ scope, name, unit, per })

function heldLogins({ limits, clock }: CityServices): [string, number][] {
  const held = limits.all().filter(({ state, until }) => state === 'dead' || until === null || until > clock.now())
  const dead = held.filter(({ state }) => state === 'dead').length
  return [
    ['limited', held.length - dead],
    ['dead', dead],
  ]
}

const gauge = (name: string, help: string, value: number): NumberMetric => ({
  name,
  help,
  type: 'gauge',
  samples: [{ labels: {}, value }],
})

function countBy(names: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>()
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1)
  return counts
}
