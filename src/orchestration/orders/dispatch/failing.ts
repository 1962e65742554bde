import type { AttentionEntry, AttentionSource } from '../../../core/attention.ts'
import type { CityContext } from '../../../core/city-context.ts'
import { toTimestamp } from '../../../core/clock.ts'
import { unsubscriber } from '../../../core/signal.ts'
import { query, stablePlan } from '../../../core/store/index.ts'
import { redactLine } from '../../../core/text/index.ts'
import { OrderCompleted, OrderFailed } from '../../events.ts'

/** Consecutive failed runs after which an order needs attention: one alone may be a passing fault. */
const MIN_FAILURES = 3
/** Maximum orders that are listed. */
const MAX_LISTED = 100
/** Maximum characters of the error of an order. */
const MAX_ERROR = 200
const ENDS: ReadonlySet<string> = new Set([OrderFailed.type, OrderCompleted.type])

interface EndedRun {
  outcome: string
  at: number
  error: string | null
}

const LATEST = query<EndedRun, [string, number]>(
  stablePlan(`SELECT outcome, created_at AS at, error FROM order_runs
       WHERE scoped_name = ? AND +state = 'done' ORDER BY created_at DESC, tracking_id DESC LIMIT ?`),
)

/** Orders whose latest runs all failed. */
export class FailingOrders implements AttentionSource {
  readonly name = 'failing-orders'

  constructor(
    private readonly context: CityContext,
    private readonly orderLibrary: {
      readonly current: readonly { readonly enabled: boolean; readonly scopedName: string; readonly rig?: string }[]
      onChange(listener: () => void): () => void
    },
  ) {}

  items(): AttentionEntry[] {
    const enabled = this.orderLibrary.current.filter(({ enabled }) => enabled)
    return enabled.flatMap((order) => this.#entryOf(order)).slice(0, MAX_LISTED)
  }

  #entryOf({ scopedName, rig }: { readonly scopedName: string; readonly rig?: string }): AttentionEntry[] {
    const runs = this.context.store.all(LATEST, scopedName, MIN_FAILURES)
    const [last] = runs
    const first = runs.at(-1)
    if (!last || !first || runs.length < MIN_FAILURES || runs.some(({ outcome }) => outcome !== 'failed')) return []
    const error = redactLine(last.error ?? '')
      .slice(0, MAX_ERROR)
      .toWellFormed()
    return [
      {
        ...{ id: `order-failing:${scopedName}`, kind: 'order', since: toTimestamp(first.at), ...(rig && { rig }) },
        asks: `The last ${MIN_FAILURES} runs of order ${scopedName} failed${error && `: ${error}`}`,
        to_do: `fix the cause and run gc order run ${scopedName}, or gc order disable ${scopedName}`,
      },
    ]
  }

  onChange(listener: () => void): () => void {
    const { log } = this.context
    const { orderLibrary } = this
    const onEnd = log.subscribe(({ type }) => {
      if (ENDS.has(type)) listener()
    })
    return unsubscriber(orderLibrary.onChange(listener), onEnd)
  }
}
