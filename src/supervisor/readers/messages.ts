import type { Activity } from '../../social/accounts/index.ts'
import type { Lease, RequestLimit } from '../../social/limits/index.ts'
import type { ReaderSetup } from '../../social/reader.ts'

/** A number of requests of one caller. */
export interface Requests {
  readonly limit: RequestLimit
  readonly caller: string
  readonly count: number
}

/** Messages of a reader to the writer. */
export type FromReader =
  | { readonly kind: 'ready' }
  | { readonly kind: 'lease'; readonly id: number; readonly requests: readonly Requests[] }
  | { readonly kind: 'give back'; readonly requests: Requests }
  | { readonly kind: 'activity'; readonly activity: Activity }
  | { readonly kind: 'report'; readonly message: string }

/** Messages of the writer to a reader. */
export type ToReader =
  | { readonly kind: 'start'; readonly setup: ReaderSetup }
  | { readonly kind: 'leases'; readonly id: number; readonly leases: readonly Lease[] }
  | { readonly kind: 'stop' }
