import type { AttentionEntry, AttentionSource } from '../../../core/attention.ts'
import { toTimestamp } from '../../../core/clock.ts'
import { Signal, unsubscriber } from '../../../core/signal.ts'
import { command, query, type Store, type Tx } from '../../../core/store/index.ts'

const FIND = query<{ since: number }>('SELECT since FROM order_approval LIMIT 1')

const DELETE = command('DELETE FROM order_approval')

/**
 * True if what packs and the city declare may start automatically. In a city that an earlier gc had open it waits until
 * a person has seen it: that gc ran no orders.
 */
export class OrderApproval implements AttentionSource {
  readonly name = 'orders'
  readonly #approved = new Signal()
  #since: number | undefined

  constructor(
    store: Store,
    private readonly library: {
      readonly current: readonly { readonly enabled: boolean }[]
      onChange(listener: () => void): () => void
    },
  ) {
    this.#since = store.get(FIND)?.since
  }

  /** True if orders wait for a person. */
  get isPending(): boolean {
    return this.#since !== undefined
  }

  /** Lets every order start automatically from now on; whether any waited. */
  approve(tx: Tx): boolean {
    const waited = tx.run(DELETE).changes > 0
    tx.after(() => {
      this.#since = undefined
      this.#approved.emit()
    })
    return waited
  }

  items(): AttentionEntry[] {
    const count = this.library.current.filter(({ enabled }) => enabled).length
    if (this.#since === undefined || count === 0) return []
    return [
      {
        ...{ id: 'orders:approval', kind: 'order', since: toTimestamp(this.#since) },
        asks: `${count === 1 ? 'One order' : `${count} orders`} of this city and its packs may start programs automatically. The gc that ran it before did not start them.`,
        to_do: 'check them with gc order list, then gc order approve --all',
      },
    ]
  }

  /** Calls a listener when orders are approved, or others are declared; returns how to unsubscribe. */
  onChange(listener: () => void): () => void {
    return unsubscriber(this.library.onChange(listener), this.#approved.listen(listener))
  }
}
