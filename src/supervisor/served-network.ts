import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentNetwork } from '../agents/network/index.ts'
import { AppError, errorMessage } from '../core/errors.ts'
import type { RequestHandler } from '../http/app.ts'
import { RequestMetrics } from '../http/request-metrics.ts'
import type { NetworkStats } from '../social/network/index.ts'
import { unavailableHandler } from '../social/network/index.ts'
import type { Social } from '../social/social.ts'
import type { NetworkDependencies } from './network.ts'
import { lockNetwork } from './network-lock.ts'

/**
 * The social network beside the cities of a supervisor. One that no one has used or configured is opened with its first
 * request: until then its code and its database take no memory.
 */
export class ServedNetwork {
  #url: string | undefined
  #social: Social | undefined
  #opening: Promise<Social | undefined> | undefined
  #isClosed = false
  readonly #events = new Map<string, number>()
  /** Counts the requests of its API. */
  readonly requests = new RequestMetrics()

  private constructor(private readonly dependencies: NetworkDependencies) {}

  /** Serves the network. One that cannot be opened is reported and does not keep cities from running. */
  static async open(dependencies: NetworkDependencies, resources: AsyncDisposableStack): Promise<ServedNetwork> {
    const network = new ServedNetwork(dependencies)
    try {
      lockNetwork(dependencies.home, resources)
    } catch (error) {
      network.#isClosed = true
      network.#reportClosed(error)
      return network
    }
    resources.defer(() => network.#close())
    if (isUsed(dependencies)) await network.#opened()
    return network
  }

  readonly handler: RequestHandler = {
    fetch: (request, server) =>
      this.#social
        ? this.#social.handler.fetch(request, server)
        : this.#opened().then((social) => (social?.handler ?? unavailableHandler).fetch(request, server)),
    stop: () => {
      this.#isClosed = true
      this.#social?.handler.stop()
    },
  }

  /** True if it is, or will be with its first request. */
  get isServed(): boolean {
    return !this.#isClosed
  }

  /** Reason its writes fail; undefined while they succeed and while it is not open. */
  get problem(): string | undefined {
    return this.#social?.network.store.problem
  }

  /** Totals of the network; undefined while it is not open. */
  async stats(): Promise<NetworkStats | undefined> {
    return this.#social?.network.stats.show()
  }

  /** Number of events of each type it recorded since it that was opened. */
  events(): ReadonlyMap<string, number> {
    return this.#events
  }

  /** Says at which address it is served; undefined for none. */
  announce(url: string | undefined): void {
    this.#url = url
  }

  /** The network as cities use it for their agents; undefined while it is not served. */
  get forCities(): AgentNetwork | undefined {
    const url = this.#url
    if (this.#isClosed || url === undefined) return undefined
    const agents = async () => (await this.#opened())?.network.cityAgents ?? notServed()
    return {
      url: () => url,
      register: async (account) => (await agents()).register(account),
      setKey: async (id, publicKey) => (await agents()).setKey(id, publicKey),
      unreadOf: async (id) => (await agents()).unreadOf(id),
    }
  }

  /** Opens it once; a failure is reported once, and not retried before the next start. */
  #opened(): Promise<Social | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined)
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#isClosed = true
      this.#reportClosed(error)
      return undefined
    })
    return this.#opening
  }

  async #open(): Promise<Social> {
    const { openNetwork } = await import('./network.ts')
    const social = await openNetwork({ ...this.dependencies, metrics: this.requests })
    social.network.log.subscribe(({ type }) => this.#events.set(type, (this.#events.get(type) ?? 0) + 1))
    this.#social = social
    return social
  }

  #reportClosed(error: unknown): void {
    this.dependencies.report(`the agents' network is not served: ${errorMessage(error)}`)
  }

  async #close(): Promise<void> {
    this.#isClosed = true
    await (await this.#opening)?.close()
  }
}

/** True if a network has been used or configured, or has an address of its own. */
const isUsed = ({ home, listener }: NetworkDependencies): boolean =>
  listener.isOwn || ['social.db', 'social.toml'].some((name) => existsSync(join(home.path, name)))

function notServed(): never {
  throw new AppError('service-unavailable', 'the network of agents is not served; the log of gc serve shows the reason')
}
