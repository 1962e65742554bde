import type { Client } from '../../src/client/client.ts'
import type { Timers } from '../../src/client/follow.ts'
import type { Diagnosis, Location, Reach } from '../pages/page.ts'
import type { Message } from '../state/reducer.ts'
import type { View } from '../state/state.ts'

/** Checks this machine and a city, as `gc doctor` does. */
export type Diagnose = (city: string) => Promise<readonly Diagnosis[]>

export interface FeedOptions {
  readonly client: Client
  readonly diagnose: Diagnose
  readonly timers: Timers
  now(): number
  dispatch(message: Message): void
  /** What is shown at a location, with its filter and order. */
  viewOf(location: Location): View
}

/** What a page at a location reads from and acts on. */
export const reachOf = (
  { client, diagnose }: Pick<FeedOptions, 'client' | 'diagnose'>,
  { city, subject }: Location,
  signal?: AbortSignal,
): Reach => ({
  client,
  city: client.city(city),
  subject,
  ...(signal && { signal }),
  diagnose,
})
