import type { AgentConfig } from '../../../config/agents/index.ts'
import type { CityConfig } from '../../../config/city/index.ts'
import { AppError } from '../../../core/errors.ts'
import type { RouteTarget } from '../../formulas/index.ts'
import type { Order } from '../order.ts'

/**
 * Recipient of a formula order: an agent of the order's rig, else of the city, by a name that includes its pack, else
 * of the order's own pack. A name that is no one's stands unchanged. Throws for one of several.
 */
export function resolvePool({ agents }: Pick<CityConfig, 'agents'>, order: Order, pool: string): RouteTarget {
  const exact = agents.find(({ qualified }) => qualified === pool)
  if (pool.includes('/')) return exact ? { agent: exact } : literal(pool)
  const places = order.rig === undefined ? [undefined] : [order.rig, undefined]
  for (const place of places) {
    const agent = choose(
      agents.filter(({ dir }) => dir === place),
      order,
      pool,
    )
    if (agent) return { agent }
  }
  return literal(order.rig === undefined ? pool : `${order.rig}/${pool}`)
}

function choose(agents: readonly AgentConfig[], { pack, name, file }: Order, pool: string): AgentConfig | undefined {
  const exact = agents.find((agent) => agent.name === pool)
  if (exact?.binding !== undefined) return exact
  const named = agents.filter(({ localName }) => localName === pool)
  const rules: ((agent: AgentConfig) => boolean)[] = [
    ({ configDir }) => pack !== undefined && configDir === pack.folder,
    ({ binding }) => pack?.binding !== undefined && binding === pack.binding,
    ({ binding }) => binding === undefined,
    () => true,
  ]
  for (const rule of rules) {
    const [agent, ...others] = named.filter(rule)
    if (!agent) continue
    if (others.length === 0) return agent
    const names = [agent, ...others].map(({ qualified }) => qualified).join(', ')
    throw new AppError('invalid-request', `ambiguous pool ${pool} of order ${name}: name one of ${names} in ${file}`)
  }
  return undefined
}

/** A name that no agent has: work waits under it until one does. */
const literal = (qualified: string): RouteTarget => ({
  agent: { qualified, minActive: 0, maxActive: undefined, namepool: [] },
})
