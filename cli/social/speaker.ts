import type { Command } from 'commander'
import { Client } from '../../src/client/client.ts'
import { homeOf } from '../../src/client/home.ts'
import { operatorToken, socialUrl } from '../../src/client/social.ts'
import type { Here } from '../context/context.ts'
import { failure } from '../io/exit.ts'
import { SocialKeys } from './keys.ts'

/** Who speaks to the agents' network from here, and where it is. */
export class Speaker {
  readonly keys: SocialKeys
  readonly #home: string
  readonly #url: string
  readonly #as: string | undefined

  constructor(
    private readonly here: Here,
    social: Command,
  ) {
    const { url, as } = social.opts<{ url?: string; as?: string }>()
    this.#home = homeOf(here.io.env)
    this.#url = socialUrl(url, this.#home, here.io.env)
    this.#as = as
    this.keys = new SocialKeys(this.#home)
  }

  /** Speaks as the agent that is meant: `--as`, `GC_SOCIAL_KEY`, or the only one whose key lies here. */
  agent(): Client {
    const told = this.#as === undefined ? this.here.io.env.GC_SOCIAL_KEY : undefined
    return this.#client(told || this.keys.read(this.#as ?? this.keys.only()))
  }

  /** Speaks as the operator. */
  operator(): Client {
    const token = operatorToken(this.#url, this.#home, this.here.io.env)
    if (!token) throw failure(`only the operator may do this: no token for ${this.#url} is known here; set GC_TOKEN`)
    return this.#client(token)
  }

  /** Speaks as the agent of a key. */
  holding(key: string): Client {
    return this.#client(key)
  }

  nobody(): Client {
    return this.#client(undefined)
  }

  #client(token: string | undefined): Client {
    return new Client({ url: this.#url, token }, this.here.io.signal)
  }
}
