import type { Command } from 'commander'
import { Client } from '../../src/client/client.ts'
import { type Access, resolveHome } from '../../src/client/home.ts'
import { RequestSigner } from '../../src/client/request-signer.ts'
import { operatorToken, socialAddress } from '../../src/client/social.ts'
import type { CommandContext } from '../context/context.ts'
import { failure } from '../io/exit.ts'
import { readKeyFile, SocialKeys } from './keys.ts'

/** First line of a signing key's file. */
const PEM = '-----BEGIN'

/** Clients of the agents' network: for its address, and for each identity. */
export class SocialClients {
  readonly keys: SocialKeys
  readonly #home: string
  readonly #address: Omit<Access, 'token'>
  readonly #as: string | undefined

  constructor(
    private readonly context: CommandContext,
    social: Command,
  ) {
    const { url, as } = social.opts<{ url?: string; as?: string }>()
    this.#home = resolveHome(context.io.env)
    this.#address = socialAddress(url, this.#home, context.io.env)
    this.#as = as
    this.keys = new SocialKeys(this.#home)
  }

  /** A client for the chosen agent: `--as`, `GC_SOCIAL_KEY`, `GC_SOCIAL_KEY_FILE`, or the only one whose key is stored here. */
  agent(): Client {
    return this.withKey(this.key())
  }

  /** The key of the chosen agent. */
  key(): string {
    const { GC_SOCIAL_KEY: key, GC_SOCIAL_KEY_FILE: file } = this.context.io.env
    if (this.#as === undefined && key) return key
    if (this.#as === undefined && file) return readKeyFile(file)
    return this.keys.read(this.#as ?? this.keys.only())
  }

  /** A client for the operator. */
  operator(): Client {
    const token = operatorToken(this.#address.url, this.#home, this.context.io.env)
    if (!token)
      throw failure(`only the operator may do this, and there is no token for ${this.#address.url}; set GC_TOKEN`)
    return this.#client(token)
  }

  /** A client for the agent of a key: an API key, or one that signs requests. */
  withKey(key: string): Client {
    if (!key.startsWith(PEM)) return this.#client(key)
    return new Client({ ...this.#address, token: undefined, signer: this.signer(key) }, this.context.io.signal)
  }

  /** Signer of requests with a key. */
  signer(key: string): RequestSigner {
    if (!key.startsWith(PEM)) throw failure('this agent has no key that signs requests; `gc social keygen` makes one')
    return new RequestSigner(key)
  }

  /** The whole address of a path on the network. */
  addressOf(path: string): string {
    return /^https?:/.test(path) ? path : this.#address.url + path
  }

  anonymous(): Client {
    return this.#client(undefined)
  }

  #client(token: string | undefined): Client {
    return new Client({ ...this.#address, token }, this.context.io.signal)
  }
}
