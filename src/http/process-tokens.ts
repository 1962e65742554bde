import { createSecret } from '../core/ids.ts'
import { hashToken, TOKEN_PREFIX } from '../core/text/index.ts'
import type { ProcessCaller } from './caller.ts'
import type { Permission } from './needs.ts'
import type { LiveToken, TokenKind } from './tokens.ts'

/** Variables with which a process calls the API as itself. */
export interface ProcessEnvironment {
  readonly GC_URL: string
  readonly GC_TOKEN: string
}

interface ProcessTokensOptions {
  /** The city they are for; '' for processes of the supervisor, which act in no city. */
  city: string
  /** The address of the supervisor. */
  url(): string
}

/** Tokens of processes that the supervisor itself waits for: each is good while its process runs. */
export class ProcessTokens implements TokenKind {
  readonly #callers = new Map<string, ProcessCaller>()

  constructor(private readonly options: ProcessTokensOptions) {}

  /** Runs a process under a token of its own, which ends with it. `name` says what it is and whose. */
  async use<T>(name: string, run: (env: ProcessEnvironment) => Promise<T>): Promise<T> {
    const { env, hash } = this.issue(name)
    try {
      return await run(env)
    } finally {
      this.end(hash)
    }
  }

  /** A token for a process that outlives the supervisor; who starts it stores the hash. `may` is what it is permitted. */
  issue(name: string, may: readonly Permission[] = []): { env: ProcessEnvironment; hash: string } {
    const token = createSecret(TOKEN_PREFIX.session)
    const hash = hashToken(token)
    this.adopt(hash, name, may)
    return { env: { GC_URL: this.options.url(), GC_TOKEN: token }, hash }
  }

  /** Takes the token of a process that continues since an earlier supervisor. */
  adopt(hash: string, name: string, may: readonly Permission[] = []): void {
    const { city } = this.options
    this.#callers.set(hash, { kind: 'process', city, name, ...(may.length > 0 && { may }) })
  }

  end(hash: string): void {
    this.#callers.delete(hash)
  }

  caller(hash: string): ProcessCaller | undefined {
    return this.#callers.get(hash)
  }

  /** None outlives the supervisor, so there is nothing to remember of them. */
  listLive(): LiveToken[] {
    return []
  }
}
