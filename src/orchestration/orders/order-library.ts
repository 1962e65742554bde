import type { CityConfig } from '../../config/city/index.ts'
import type { Config } from '../../config/compose/index.ts'
import type { Diagnostic } from '../../config/files/index.ts'
import type { AbsentOrder, Order } from './order.ts'

/** The orders of a city and its packs, as their files are now. */
export class OrderLibrary {
  constructor(private readonly config: Pick<Config, 'onChange'> & { readonly current: Pick<CityConfig, 'orders'> }) {}

  /** Every order; those that an override disables are among them. */
  get current(): readonly Order[] {
    return this.config.current.orders.all
  }

  /** Problems of order files that are left out, and of overrides. */
  get problems(): readonly Diagnostic[] {
    return this.config.current.orders.problems
  }

  /** Those of the problems that are overrides of orders that are not there. */
  get unmatchedOverrides(): readonly Diagnostic[] {
    return this.config.current.orders.unmatchedOverrides
  }

  /** Order files that make no order since somebody said so. */
  get absent(): readonly AbsentOrder[] {
    return this.config.current.orders.absent
  }

  find(scopedName: string): Order | undefined {
    return this.current.find((order) => order.scopedName === scopedName)
  }

  /** Calls a listener whenever an order file or the configuration changes; returns how to unsubscribe. */
  onChange(listener: () => void): () => void {
    return this.config.onChange(listener)
  }
}
