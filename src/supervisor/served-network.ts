import type { AgentNetwork } from '../agents/network/network.ts'
import { errorMessage } from '../core/errors.ts'
import type { RequestHandler } from '../http/app.ts'
import { notFoundHandler } from '../http/not-found.ts'
import { RequestMetrics } from '../http/request-metrics.ts'
import type { Social } from '../social/social.ts'
import type { NetworkStats } from '../social/stats/schema.ts'
import { type NetworkDependencies, openNetwork } from './network.ts'

/** The social network beside the cities of a supervisor. */
export class ServedNetwork {
  #url: string | undefined
  readonly #events = new Map<string, number>()

  private constructor(
    private readonly social: Social | undefined,
    /** Counts the requests of its API. */
    readonly requests: RequestMetrics,
  ) {
    social?.network.log.subscribe(({ type }) => this.#events.set(type, (this.#events.get(type) ?? 0) + 1))
  }

  /** Opens the network. One that cannot be opened is reported and does not keep cities from running. */
  static async open(dependencies: NetworkDependencies, resources: AsyncDisposableStack): Promise<ServedNetwork> {
    const metrics = new RequestMetrics()
    try {
      return new ServedNetwork(await openNetwork({ ...dependencies, metrics }, resources), metrics)
    } catch (error) {
      dependencies.report(`the agents' network is not served: ${errorMessage(error)}`)
      return new ServedNetwork(undefined, metrics)
    }
  }

  get handler(): RequestHandler {
    return this.social?.handler ?? notFoundHandler
  }

  /** How much there is on the network; undefined while it is not served. */
  async stats(): Promise<NetworkStats | undefined> {
    return this.social?.network.stats.show()
  }

  /** How many events of each type it recorded since it was opened; none while it is not served. */
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
    if (!this.social || url === undefined) return undefined
    const { cityAgents } = this.social.network
    return {
      url: () => url,
      register: (account) => cityAgents.register(account),
      setKey: (id, publicKey) => cityAgents.setKey(id, publicKey),
      unreadOf: (id) => cityAgents.unreadOf(id),
    }
  }
}
