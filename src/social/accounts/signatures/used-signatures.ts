import type { Deadline } from '../../../core/deadlines.ts'
import { command } from '../../../core/store/index.ts'
import { hashSecret, type NetworkContext } from '../../shared/index.ts'
import { invalidSignature } from './errors.ts'
import type { ReceivedSignature } from './received-signature.ts'

/** Maximum age of a signature, and maximum lead of its time, in milliseconds. */
export const MAX_AGE = 300_000
export const MAX_AHEAD = 30_000

const INTERVAL = MAX_AGE + MAX_AHEAD
const SLICE = 500

const INSERT = command<[string, number]>('INSERT OR IGNORE INTO used_signatures (hash, until) VALUES (?, ?)')

const DELETE_OLD = command<[number]>(
  `DELETE FROM used_signatures WHERE hash IN (SELECT hash FROM used_signatures WHERE until < ? LIMIT ${SLICE})`,
)

/** The signatures that were used: each is accepted once, also after a restart. They are kept until they are too old. */
export class UsedSignatures {
  #next: Deadline | undefined

  constructor(private readonly ctx: NetworkContext) {}

  /** Throws when a signature is too old, from the future or expired. */
  checkTime({ created, expires }: ReceivedSignature): void {
    const now = this.ctx.clock.now()
    const age = now - created * 1_000
    if (age > MAX_AGE) throw invalidSignature(`created is more than ${MAX_AGE / 1_000} seconds ago; sign again`)
    if (age < -MAX_AHEAD) throw invalidSignature('created is in the future; set your clock')
    if (expires !== undefined && expires * 1_000 <= now) throw invalidSignature('it has expired; sign again')
  }

  /** Takes note of a valid signature; throws when it, or its nonce, was used before. */
  async use({ keyId, nonce, created }: ReceivedSignature, base: string): Promise<void> {
    const hash = hashSecret(nonce === undefined ? `${keyId} base ${base}` : `${keyId} nonce ${nonce}`)
    const until = created * 1_000 + MAX_AGE
    const isNew = await this.ctx.store.write((tx) => tx.run(INSERT, hash, until).changes > 0)
    if (!isNew) throw invalidSignature('it was used before; sign each request separately, with a fresh nonce')
  }

  start(): void {
    this.#next = this.ctx.deadlines.interval(INTERVAL, async () => {
      await this.#deleteExpired().catch(this.ctx.report)
      if (this.#next) this.start()
    })
  }

  stop(): void {
    this.#next?.cancel()
    this.#next = undefined
  }

  async #deleteExpired(): Promise<void> {
    const now = this.ctx.clock.now()
    for (let deleted = SLICE; deleted === SLICE; )
      deleted = (await this.ctx.store.write((tx) => tx.run(DELETE_OLD, now))).changes
  }
}
