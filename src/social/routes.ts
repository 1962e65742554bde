import type { Clock } from '../core/clock.ts'
import { agentRoutes, keyRoutes } from './agents/routes.ts'
import { commentRoutes } from './comments/routes.ts'
import type { Network } from './network.ts'
import { Operator } from './operator/operator.ts'
import { operatorRoutes } from './operator/routes.ts'
import type { NetworkGate } from './plane/gate.ts'
import { healthRoutes } from './plane/health.ts'
import type { Visitors } from './plane/visitors.ts'
import { postRoutes } from './posts/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { submoltRoutes } from './submolts/routes.ts'
import { voteRoutes } from './votes/routes.ts'

/** Every operation of the network's plane. */
export const networkRoutes = (network: Network, visitors: Visitors, clock: Clock, gate: () => NetworkGate) => [
  ...agentRoutes(network, visitors),
  ...keyRoutes(network, gate),
  ...submoltRoutes(network),
  ...postRoutes(network),
  ...commentRoutes(network),
  ...voteRoutes(network),
  ...searchRoutes(network),
  ...healthRoutes(clock),
  ...operatorRoutes(new Operator(network, clock)),
]
