import { command, query, type Store, type Tx } from '../../core/store/index.ts'

/** Usage of a model by an agent on one day. */
export interface DayUse {
  readonly day: string
  readonly rig: string
  readonly agent: string
  readonly model: string
  readonly invocations: number
  readonly tokens: number
  readonly cost: number
  readonly unpriced: number
}

/** The local day of a time, as `2026-03-29`. */
export function dayOf(at: number): string {
  const date = new Date(at)
  const part = (value: number, length: number) => String(value).padStart(length, '0')
  return [part(date.getFullYear(), 4), part(date.getMonth() + 1, 2), part(date.getDate(), 2)].join('-')
}

/** Maximum models of an agent counted per day, since programs choose the names. */
const MAX_MODELS = 30
/** All further ones. */
const OTHER_MODELS = 'other models'

const ADD = command<
  (string | number)[]
>(`INSERT INTO usage_days (day, rig, agent, model, invocations, tokens, cost, unpriced)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (day, rig, agent, model) DO UPDATE SET
        invocations = invocations + excluded.invocations, tokens = tokens + excluded.tokens, cost = cost + excluded.cost,
        unpriced = unpriced + excluded.unpriced`)

const MODELS = query<{ n: number; known: number }, string[]>(
  'SELECT count(*) AS n, total(model = ?) AS known FROM usage_days WHERE day = ? AND rig = ? AND agent = ?',
)

const SINCE = query<DayUse, [string]>(
  'SELECT day, rig, agent, model, invocations, tokens, cost, unpriced FROM usage_days WHERE day >= ?',
)

const PRUNE = command<[string]>('DELETE FROM usage_days WHERE day < ?')

/** The sums of each day, by agent and model: reading them costs the same, however much was used. */
export class UsageDays {
  constructor(private readonly store: Store) {}

  add(tx: Tx, { day, rig, agent, model, invocations, tokens, cost, unpriced }: DayUse): void {
    const models = this.store.get(MODELS, model, day, rig, agent)
    const isFurther = models !== null && models.known === 0 && models.n >= MAX_MODELS
    tx.run(ADD, day, rig, agent, isFurther ? OTHER_MODELS : model, invocations, tokens, cost, unpriced)
  }

  since(day: string): DayUse[] {
    return this.store.all(SINCE, day)
  }

  prune(tx: Tx, before: string): void {
    tx.run(PRUNE, before)
  }
}
