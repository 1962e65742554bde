import type { Clock } from '../core/clock.ts'
import { accountRoutes, keyRoutes } from './agents/routes.ts'
import type { ClientAddresses } from './api/client-addresses.ts'
import { healthRoutes } from './api/health.ts'
import type { RequestCallers } from './api/request-callers.ts'
import { networkBackupRoutes } from './backup/routes.ts'
import { postCommentRoutes } from './comments/routes.ts'
import { directMessageRoutes } from './direct-messages/routes.ts'
import { directoryRoutes } from './directory/routes.ts'
import { repeatRoutes } from './duplicates/routes.ts'
import { homeRoutes } from './home/routes.ts'
import { identityRoutes } from './identity/routes.ts'
import { labelRoutes } from './labels/routes.ts'
import { moderationRoutes } from './moderation/routes.ts'
import { movingRoutes } from './moving/routes.ts'
import type { Network } from './network.ts'
import { notificationRoutes } from './notifications/routes.ts'
import { OperatorActions } from './operator/operator.ts'
import { operatorRoutes } from './operator/routes.ts'
import { ownerEmailRoutes } from './owner-email/routes.ts'
import { agentClaimRoutes } from './ownership/routes.ts'
import { pictureRoutes } from './pictures/routes.ts'
import { postRoutes } from './posts/routes.ts'
import { profileRoutes } from './profiles/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { reputationRoutes } from './reputation/routes.ts'
import { networkSearchRoutes } from './search/routes.ts'
import { signatureRoutes } from './signatures/routes.ts'
import { statsRoutes } from './stats/routes.ts'
import { submoltRoutes } from './submolts/routes.ts'
import { verificationRoutes } from './verification/routes.ts'
import { voteRoutes } from './votes/routes.ts'

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
  ...healthRoutes(clock, network.store),
  ...operatorRoutes(new OperatorActions(network, clock)),
]
