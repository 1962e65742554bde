import { type Static, Type } from '@sinclair/typebox'

/** Budgets, which both the events of this wing and the operations of `usage` show. */

const closed = { additionalProperties: false } as const

const Scope = Type.Union([Type.Literal('city'), Type.Literal('rig'), Type.Literal('agent')], {
  description: 'Target of the limit.',
})
const Unit = Type.Union([Type.Literal('tokens'), Type.Literal('usd')], {
  description: 'The unit: tokens of every kind, or estimated US dollars.',
})
const Per = Type.Union([Type.Literal('hour'), Type.Literal('day')], {
  description: 'The period, in the local time of the supervisor.',
})
const name = Type.Optional(
  Type.String({ description: 'The name of the rig, or the qualified name of the agent; absent for the city.' }),
)

/** Identifies a budget. */
export const BudgetKey = Type.Object({ scope: Scope, name, unit: Unit, per: Per })
export type BudgetKey = Static<typeof BudgetKey>

export const BudgetSet = Type.Object(
  {
    scope: Scope,
    name,
    unit: Unit,
    per: Per,
    limit: Type.Number({ minimum: 0, description: 'The maximum in one period.' }),
  },
  { $id: 'BudgetSetInputBody', ...closed },
)
export type BudgetSet = Static<typeof BudgetSet>

export const Budget = Type.Object(
  {
    scope: Scope,
    name,
    unit: Unit,
    per: Per,
    limit: Type.Number({ description: 'The maximum in one period.' }),
    spent: Type.Number({ description: 'The usage in this period so far.' }),
    overshoot: Type.Optional(Type.Number({ description: 'Amount used beyond the limit by turns in progress.' })),
    assumed: Type.Optional(
      Type.Number({
        description:
          'Part of `spent` that is assumed, for models without a known price. They count at the highest known price. `[[pricing]]` in city.toml declares prices.',
      }),
    ),
    state: Type.Union([Type.Literal('ok'), Type.Literal('warned'), Type.Literal('exhausted')], {
      description: '`warned` from 80 %; `exhausted` from 100 %, when no new turns start.',
    }),
    period_start: Type.String({ format: 'date-time' }),
    period_end: Type.String({ format: 'date-time', description: 'Start of the next period.' }),
  },
  { $id: 'Budget', ...closed },
)
export type Budget = Static<typeof Budget>

const UncountedAgent = Type.Object({ agent: Type.String(), rig: Type.Optional(Type.String()) }, closed)

export const BudgetList = Type.Object(
  {
    items: Type.Array(Budget),
    total: Type.Integer(),
    strict: Type.Boolean({
      description:
        'True if agents with a budget get no turns when their program reports no usage. False only in cities of an earlier gc, until `POST ~/budgets/strict`.',
    }),
    uncounted: Type.Array(UncountedAgent, {
      description:
        'The agents under a budget whose programs do not report what they use. They get no turn; where budgets are not strict they work, and no budget counts what they use. `cost = "none"` on an agent says that it costs nothing.',
    }),
  },
  { $id: 'BudgetList', ...closed },
)
export type BudgetList = Static<typeof BudgetList>
