import { createHash, timingSafeEqual } from 'node:crypto'
import type { City } from '../city/city.ts'
import type { Caller } from '../http/caller.ts'

const hashed = (token: string): string => createHash('sha256').update(token).digest('hex')

/** Resolves a token to its caller: the operator, or a running session of one city. */
export class Callers {
  readonly #operator: Buffer

  constructor(
    operatorToken: string,
    private readonly cities: () => readonly City[],
  ) {
    this.#operator = Buffer.from(hashed(operatorToken))
  }

  /** The caller a token belongs to; undefined when it is unknown, or when its session has ended. */
  resolve(token: string): Caller | undefined {
    const hash = hashed(token)
    if (timingSafeEqual(Buffer.from(hash), this.#operator)) return { kind: 'operator' }
    for (const city of this.cities()) {
      const caller = city.sessions.credentials.caller(hash)
      if (caller === 'ended') return undefined
      if (caller) return caller
    }
    return undefined
  }
}
