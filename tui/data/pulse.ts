import { amount, limitOf } from '../../client/views/index.ts'
import type { Client } from '../../src/client/client.ts'
import type { Timers } from '../../src/client/follow.ts'
import type { Output } from '../../src/client/operations.ts'
import type { Message } from '../state/reducer.ts'
import type { Facts } from '../state/state.ts'

const REREADS_MS = 5_000
/** A budget with less than this part left is nearly used up. */
const LOW = 0.2

interface PulseOptions {
  readonly client: Client
  readonly timers: Timers
  dispatch(message: Message): void
}

/** Reads every few seconds what the header and the line of counts say of the city that is shown. */
export class Pulse {
  #ended = new AbortController()
  #city = ''

  constructor(private readonly options: PulseOptions) {}

  /** Reads this city from now on, and no other. */
  follow(city: string): void {
    if (city === this.#city) return
    this.close()
    this.#city = city
    this.#ended = new AbortController()
    if (city !== '') this.#read(city, this.#ended.signal)
  }

  close(): void {
    this.#ended.abort()
    this.#city = ''
  }

  /** Reads panels; unreadable ones keep their contents and show the reason. */
  #read(city: string, signal: AbortSignal): void {
    const own = this.options.client.city(city)
    Promise.all([own.call('GET ~/status', { signal }), own.call('GET ~/budgets', { signal })])
      .then(([status, budgets]) => {
        if (!signal.aborted) this.options.dispatch({ type: 'facts', city, facts: factsOf(status, budgets) })
      })
      .catch(() => {})
      .finally(() => {
        if (!signal.aborted) this.options.timers.after(REREADS_MS, () => !signal.aborted && this.#read(city, signal))
      })
  }
}

const factsOf = (status: Output<'GET ~/status'>, budgets: Output<'GET ~/budgets'>): Facts => ({
  rigs: status.rig_count,
  working: status.running,
  agents: status.agent_count,
  work: status.work,
  unread: status.mail.unread,
  budget: remaining(budgets.items),
})

/** The budget with the smallest part left. */
function remaining(items: Output<'GET ~/budgets'>['items']): Facts['budget'] {
  const part = ({ limit, spent }: (typeof items)[number]) => (limit <= 0 ? 0 : Math.max(0, limit - spent) / limit)
  const [first] = items.toSorted((a, b) => part(a) - part(b))
  if (!first) return undefined
  const left = amount(Math.max(0, first.limit - first.spent), first.unit)
  return { text: `${left} of ${limitOf(first)}`, isLow: part(first) < LOW }
}
