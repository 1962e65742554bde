import type { Caller } from '../http/caller.ts'
import type { LiveToken, TokenKind } from '../http/tokens.ts'

/** The tokens of a city, of every kind. */
export class CityTokens {
  constructor(private readonly kinds: readonly TokenKind[]) {}

  /** The caller whose token has this hash; `ended` when the token is over; undefined when it is none of this city. */
  caller(hash: string): Caller | 'ended' | undefined {
    for (const kind of this.kinds) {
      const caller = kind.caller(hash)
      if (caller !== undefined) return caller
    }
    return undefined
  }

  listLive(): LiveToken[] {
    return this.kinds.flatMap((kind) => kind.listLive())
  }
}
