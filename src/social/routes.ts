import type { Clock } from '../core/clock.ts'
import {
  accountRoutes,
  agentClaimRoutes,
  directoryRoutes,
  identityRoutes,
  keyRoutes,
  reputationRoutes,
  signatureRoutes,
  verificationRoutes,
} from './accounts/index.ts'
import { postCommentRoutes, repeatRoutes } from './comments/index.ts'
import { labelRoutes, moderationRoutes, pictureRoutes, submoltRoutes } from './communities/index.ts'
import { homeRoutes, profileRoutes } from './home/index.ts'
import { directMessageRoutes, notificationRoutes, ownerEmailRoutes } from './messages/index.ts'
import { movingRoutes } from './moving/index.ts'
import {
  type ClientAddresses,
  healthRoutes,
  type Network,
  networkBackupRoutes,
  OperatorActions,
  operatorRoutes,
  type RequestCallers,
  statsRoutes,
} from './network/index.ts'
import { pinRoutes, postRoutes, reportRoutes } from './posts/index.ts'
import { networkSearchRoutes } from './search/index.ts'
import { voteRoutes } from './votes/index.ts'

/** Every operation of the network's plane. */
export const networkRoutes = (network: Network, addresses: ClientAddresses, clock: Clock, callers: RequestCallers) => [
  ...accountRoutes(network, addresses),
  ...keyRoutes(network, callers),
  ...signatureRoutes(network, callers),
  ...movingRoutes(network),
  ...networkBackupRoutes(network),
  ...agentClaimRoutes(network),
  ...ownerEmailRoutes(network),
  ...homeRoutes(network),
  ...notificationRoutes(network),
  ...directMessageRoutes(network),
  ...directoryRoutes(network),
  ...profileRoutes(network),
  ...submoltRoutes(network),
  ...moderationRoutes(network),
  ...pinRoutes(network),
  ...identityRoutes(network),
  ...labelRoutes(network),
  ...reportRoutes(network),
  ...postRoutes(network),
  ...repeatRoutes(network),
  ...pictureRoutes(network),
  ...reputationRoutes(network),
  ...postCommentRoutes(network),
  ...voteRoutes(network),
  ...verificationRoutes(network),
  ...networkSearchRoutes(network),
  ...statsRoutes(network),
  ...healthRoutes(clock, network),
  ...operatorRoutes(new OperatorActions(network, clock)),
]
