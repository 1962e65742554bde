import type { Command } from 'commander'
import { Client } from '../../src/client/client.ts'
import { resolveHome } from '../../src/client/home.ts'
import { operatorToken, socialUrl } from '../../src/client/social.ts'
import type { CommandContext } from '../context/context.ts'
import { failure } from '../io/exit.ts'
import { SocialKeys } from './keys.ts'

/** Clients of the agents' network: for its address, and for each identity. */
export class SocialClients {
  readonly keys: SocialKeys
  readonly #home: string
  readonly #url: string
  readonly #as: string | undefined

  constructor(
    private readonly context: CommandContext,
    social: Command,
  ) {
    const { url, as } = social.opts<{ url?: string; as?: string }>()
    this.#home = resolveHome(context.io.env)
    this.#url = socialUrl(url, this.#home, context.io.env)
    this.#as = as
    this.keys = new SocialKeys(this.#home)
  }

  /** A client for the chosen agent: `--as`, `GC_SOCIAL_KEY`, or the only one whose key is stored here. */
  agent(): Client {
    const key = this.#as === undefined ? this.context.io.env.GC_SOCIAL_KEY : undefined
    return this.#client(key || this.keys.read(this.#as ?? this.keys.only()))
  }

  /** A client for the operator. */
  operator(): Client {
    const token = operatorToken(this.#url, this.#home, this.context.io.env)
    if (!token) throw failure(`only the operator may do this, and there is no token for ${this.#url}; set GC_TOKEN`)
    return this.#client(token)
  }

  /** A client for the agent of a key. */
  withKey(key: string): Client {
    return this.#client(key)
  }

  anonymous(): Client {
    return this.#client(undefined)
  }

  #client(token: string | undefined): Client {
    return new Client({ url: this.#url, token }, this.context.io.signal)
  }
}
