import type { CityContext } from '../../core/city-context.ts'
import { AppError } from '../../core/errors.ts'
import { compareText } from '../../core/text/index.ts'
import { actorOf } from '../../http/actor-of.ts'
import type { Caller } from '../../http/caller.ts'
import type { OKResponseBody } from '../../http/schema.ts'
import { AdapterAdded, AdapterRemoved } from '../events.ts'
import type { AdapterHealth } from './adapter-health.ts'
import { type Callback, parseCallback } from './callback-url.ts'
import { checkName } from './limits.ts'
import type { AdapterCapabilities, AdapterList, AdapterName, AdapterRegistration, RegisteredAdapter } from './schema.ts'

/** Adapter of a messenger for the city. */
export interface Adapter {
  readonly provider: string
  readonly accountId: string
  readonly name: string
  /** Address to post outgoing messages to; undefined if it only receives. */
  readonly callback: Callback | undefined
  readonly capabilities: AdapterCapabilities | undefined
}

/** Maximum number of adapters a city has. */
const MAX_ADAPTERS = 1_000

/**
 * The adapters of a city. They are forgotten when it closes, since another program may listen at their address by then:
 * each registers again.
 */
export class Adapters {
  readonly #adapters = new Map<string, Adapter>()

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      health: AdapterHealth
      /** The name of the city. */
      city: string
      /** Address on which the supervisor listens. */
      url(): string
    },
  ) {}

  /** Registers an adapter; another of the same account is replaced. */
  async register(caller: Caller, body: AdapterRegistration): Promise<RegisteredAdapter> {
    const adapter = this.#toAdapter(body)
    const { provider, accountId, name } = adapter
    const key = keyOf(provider, accountId)
    const known = this.#adapters.get(key)
    if (!known && this.#adapters.size >= MAX_ADAPTERS) {
      throw new AppError('validation-failed', `the city has ${MAX_ADAPTERS} adapters; unregister some first`)
    }
    if (!known || !Bun.deepEquals(known, adapter)) {
      const { store, log } = this.context
      const { health } = this.options
      await store.write((tx) => {
        log.append(tx, AdapterAdded, { subject: name }, { provider, account_id: accountId })
        tx.after(() => {
          this.#set(key, adapter)
          health.answered(provider, accountId)
        })
      }, actorOf(caller))
    }
    return { status: 'registered', provider, account_id: accountId, name }
  }

  /** Forgets an adapter; one that is not known is not an error. */
  async unregister(caller: Caller, { provider, account_id }: AdapterName): Promise<OKResponseBody> {
    const known = this.find(provider, account_id)
    const answer = { status: 'unregistered' }
    if (known) {
      const { store, log } = this.context
      const payload = { provider: known.provider, account_id: known.accountId }
      await store.write((tx) => {
        log.append(tx, AdapterRemoved, { subject: known.name }, payload)
        tx.after(() => this.#set(keyOf(known.provider, known.accountId), undefined))
        tx.answer(answer)
      }, actorOf(caller))
    }
    return answer
  }

  list(): AdapterList {
    const items = [...this.#adapters.values()].map(({ provider, accountId, name }) => ({
      ...{ provider, account_id: accountId, name },
    }))
    items.sort((a, b) => compareText(a.provider, b.provider) || compareText(a.account_id, b.account_id))
    return { items, total: items.length }
  }

  find(provider: string, accountId: string): Adapter | undefined {
    return this.#adapters.get(keyOf(provider.trim().toLowerCase(), accountId.trim()))
  }

  /** Throws when nothing speaks for the account. */
  require(provider: string, accountId: string): Adapter {
    const adapter = this.find(provider, accountId)
    if (adapter) return adapter
    throw new AppError(
      'validation-failed',
      `no adapter registered for ${provider}/${accountId}; adapters register again after each start of the city`,
    )
  }

  #set(key: string, adapter: Adapter | undefined): void {
    if (adapter) this.#adapters.set(key, adapter)
    else this.#adapters.delete(key)
  }

  #toAdapter({ provider: given, account_id, name, callback_url, capabilities }: AdapterRegistration): Adapter {
    const { city, url } = this.options
    const provider = given.trim().toLowerCase()
    const accountId = account_id.trim()
    if (provider === '' || accountId === '') {
      throw new AppError('validation-failed', 'provider and account_id must say which account the adapter speaks for')
    }
    for (const [field, value] of Object.entries({ provider, account_id: accountId, name })) {
      checkName(field, value, 'validation-failed')
    }
    return {
      ...{ provider, accountId, name: name?.trim() || `${provider}/${accountId}`, capabilities },
      callback: parseCallback(callback_url?.trim() ?? '', { city, url: url() }),
    }
  }
}

const keyOf = (provider: string, accountId: string): string => `${provider} ${accountId}`
