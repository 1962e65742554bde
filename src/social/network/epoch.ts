import { Type } from '@sinclair/typebox'
import type { Clock } from '../../core/clock.ts'
import type { Deadline, Deadlines } from '../../core/deadlines.ts'
import { defineEvent, type EventLog } from '../../core/events/index.ts'
import { command, query, type Store } from '../../core/store/index.ts'
import type { IdentityKey } from '../accounts/index.ts'

const Promotion = Type.Object(
  { epoch: Type.Integer() },
  { $id: 'NetworkPromotionPayload', additionalProperties: false },
)

export const NetworkPromoted = defineEvent(
  'network.promoted',
  Promotion,
  'A copy of the network took its place, with a higher epoch.',
)

/** The header in which a network names itself and its epoch. */
export const NETWORK_HEADER = 'x-gc-network'

const FIRST_CHECK_MS = 1_000
/** Minimum time between two checks. */
const CHECK_MS = 60_000
const TIMEOUT_MS = 5_000

const EPOCH = query<{ value: number }>("SELECT value FROM network_defaults WHERE name = 'epoch'")

const SET_EPOCH = command<[number]>("INSERT OR REPLACE INTO network_defaults VALUES ('epoch', ?)")

const epochOf = (store: Store): number => store.get(EPOCH)?.value ?? 1

/** Begins the next epoch in a copy of a network, so that what it was copied from can tell that it was replaced. */
export function raiseEpoch(store: Store, log: EventLog): Promise<number> {
  return store.write((tx) => {
    const epoch = epochOf(store) + 1
    tx.run(SET_EPOCH, epoch)
    log.append(tx, NetworkPromoted, { actor: 'operator', subject: 'network' }, { epoch })
    return epoch
  })
}

interface NetworkEpochOptions {
  readonly store: Store
  readonly log: EventLog
  readonly identityKey: IdentityKey
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** The public address of the network, if it is known. */
  readonly publicUrl: string | undefined
}

/**
 * The epoch of this network. After it starts, and while it is written to, it looks which epoch answers at its public
 * address: where that is higher, a promoted copy has taken its place, and it takes no more writes.
 */
export class NetworkEpoch {
  readonly #number: number
  #checkedAt = 0
  #first: Deadline | undefined
  #unsubscribe = () => {}

  constructor(private readonly options: NetworkEpochOptions) {
    this.#number = epochOf(options.store)
  }

  /** The network and its epoch, as the value of the header. */
  get label(): string {
    return `${this.options.identityKey.id}.${this.#number}`
  }

  start(): void {
    const { publicUrl, log, clock, deadlines } = this.options
    if (publicUrl === undefined) return
    const check = () => {
      this.#checkedAt = clock.monotonic()
      void this.#check(publicUrl)
    }
    this.#first = deadlines.after(FIRST_CHECK_MS, check)
    this.#unsubscribe = log.subscribe(() => {
      if (clock.monotonic() - this.#checkedAt >= CHECK_MS) check()
    })
  }

  stop(): void {
    this.#first?.cancel()
    this.#unsubscribe()
  }

  async #check(url: string): Promise<void> {
    const [id, epoch] = ((await labelAt(url)) ?? '').split('.')
    if (id !== this.options.identityKey.id || !(Number(epoch) > this.#number)) return
    this.stop()
    await this.options.store.retire(
      `a copy of this network was promoted: ${url} answers with epoch ${epoch}, and this is epoch ${this.#number}; stop this server`,
    )
  }
}

/** The header of the network that answers at an address; undefined where none does. */
async function labelAt(url: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(TIMEOUT_MS)
    const response = await fetch(`${url}/api/v1/health`, { redirect: 'manual', cache: 'no-store', signal })
    await response.body?.cancel()
    return response.headers.get(NETWORK_HEADER) ?? undefined
  } catch {
    return undefined
  }
}
