import type { Location, Machine, Reach } from '../../client/views/index.ts'
import type { Client } from '../../src/client/client.ts'
import type { Timers } from '../../src/client/follow.ts'
import type { Message } from '../state/reducer.ts'
import type { View } from '../state/state.ts'
import type { Waits } from './waits.ts'

export interface FeedOptions {
  readonly client: Client
  readonly machine: Machine
  readonly timers: Timers
  readonly waits: Waits
  now(): number
  dispatch(message: Message): void
  /** View at a location, with its filter and order. */
  viewOf(location: Location): View
  /** Reads a location again. */
  reread?(location: Location): void
  /** Called for each event of the page's city. */
  happened(): void
}

/** Reach of a page at a location: what it reads and acts on. */
export const reachOf = (
  { client, machine, timers, reread }: Pick<FeedOptions, 'client' | 'machine' | 'timers' | 'reread'>,
  location: Location,
  signal?: AbortSignal,
): Reach => {
  const { city, subject, at } = location
  return {
    client,
    machine,
    timers,
    city: client.city(city),
    subject,
    ...(at && { at }),
    ...(signal && { signal }),
    ...(reread && { reread: () => reread(location) }),
  }
}
