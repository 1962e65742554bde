import { type Static, Type } from '@sinclair/typebox'

const closed = { additionalProperties: false } as const

const Scope = Type.Union([Type.Literal('city'), Type.Literal('rig'), Type.Literal('agent')], {
  description: 'Whose usage is limited.',
})
const Unit = Type.Union([Type.Literal('tokens'), Type.Literal('usd')], {
  description: 'What is counted: tokens of every kind, or estimated US dollars.',
})
const Per = Type.Union([Type.Literal('hour'), Type.Literal('day')], {
  description: 'How often it begins anew, in the local time of the supervisor.',
})
const name = Type.Optional(Type.String({ description: 'The rig, or the qualified agent; absent for the city.' }))

/** Which budget is meant. */
export const BudgetKey = Type.Object({ scope: Scope, name, unit: Unit, per: Per })
export type BudgetKey = Static<typeof BudgetKey>

export const BudgetSet = Type.Object(
  { scope: Scope, name, unit: Unit, per: Per, limit: Type.Number({ minimum: 0, description: 'The most of it.' }) },
  { $id: 'BudgetSetInputBody', ...closed },
)
export type BudgetSet = Static<typeof BudgetSet>

export const Budget = Type.Object(
  {
    scope: Scope,
    name,
    unit: Unit,
    per: Per,
    limit: Type.Number({ description: 'The most that may be used in a period.' }),
    spent: Type.Number({ description: 'What was used in this period so far.' }),
    state: Type.Union([Type.Literal('ok'), Type.Literal('warned'), Type.Literal('exhausted')], {
      description: '`warned` from 80 % on; `exhausted` from 100 % on: nothing more is started.',
    }),
    period_start: Type.String({ format: 'date-time' }),
    period_end: Type.String({ format: 'date-time', description: 'When it begins anew.' }),
  },
  { $id: 'Budget', ...closed },
)
export type Budget = Static<typeof Budget>

export const BudgetList = Type.Object(
  { items: Type.Array(Budget), total: Type.Integer() },
  { $id: 'BudgetList', ...closed },
)
export type BudgetList = Static<typeof BudgetList>
