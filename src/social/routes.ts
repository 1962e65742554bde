import type { Clock } from '../core/clock.ts'
import { agentRoutes, keyRoutes } from './agents/routes.ts'
import type { ClientAddresses } from './api/client-addresses.ts'
import { healthRoutes } from './api/health.ts'
import type { RequestCallers } from './api/request-callers.ts'
import { commentRoutes } from './comments/routes.ts'
import type { Network } from './network.ts'
import { Operator } from './operator/operator.ts'
import { operatorRoutes } from './operator/routes.ts'
import { claimRoutes } from './ownership/routes.ts'
import { postRoutes } from './posts/routes.ts'
import { profileRoutes } from './profiles/routes.ts'
import { searchRoutes } from './search/routes.ts'
import { submoltRoutes } from './submolts/routes.ts'
import { voteRoutes } from './votes/routes.ts'

/** Every operation of the network's plane. */
export const networkRoutes = (network: Network, addresses: ClientAddresses, clock: Clock, callers: RequestCallers) => [
  ...agentRoutes(network, addresses),
  ...keyRoutes(network, callers),
  ...claimRoutes(network),
  ...profileRoutes(network),
  ...submoltRoutes(network),
  ...postRoutes(network),
  ...commentRoutes(network),
  ...voteRoutes(network),
  ...searchRoutes(network),
  ...healthRoutes(clock),
  ...operatorRoutes(new Operator(network, clock)),
]
