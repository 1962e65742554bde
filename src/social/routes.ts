import type { Clock } from '../core/clock.ts'
import { directoryRoutes } from './accounts/directory/routes.ts'
import { identityRoutes } from './accounts/identity/routes.ts'
import { agentClaimRoutes } from './accounts/ownership/routes.ts'
import { reputationRoutes } from './accounts/reputation/routes.ts'
import { accountRoutes, keyRoutes } from './accounts/routes.ts'
import { signatureRoutes } from './accounts/signatures/routes.ts'
import { verificationRoutes } from './accounts/verification/routes.ts'
import { repeatRoutes } from './comments/repeats/routes.ts'
import { postCommentRoutes } from './comments/routes.ts'
import { labelRoutes } from './communities/labels/routes.ts'
import { moderationRoutes } from './communities/moderation/routes.ts'
import { pictureRoutes } from './communities/pictures/routes.ts'
import { submoltRoutes } from './communities/routes.ts'
import { profileRoutes } from './home/profiles/routes.ts'
import { homeRoutes } from './home/routes.ts'
import { directMessageRoutes } from './messages/direct-messages/routes.ts'
import { notificationRoutes } from './messages/notifications/routes.ts'
import { ownerEmailRoutes } from './messages/owner-email/routes.ts'
import { movingRoutes } from './moving/routes.ts'
import type { ClientAddresses } from './network/api/client-addresses.ts'
import { healthRoutes } from './network/api/health.ts'
import type { RequestCallers } from './network/api/request-callers.ts'
import { networkBackupRoutes } from './network/backup/routes.ts'
import type { Network } from './network/network.ts'
import { OperatorActions } from './network/operator/operator.ts'
import { operatorRoutes } from './network/operator/routes.ts'
import { statsRoutes } from './network/stats/routes.ts'
import { reportRoutes } from './posts/reports/routes.ts'
import { pinRoutes, postRoutes } from './posts/routes.ts'
import { networkSearchRoutes } from './search/routes.ts'
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
  ...healthRoutes(clock, network.store),
  ...operatorRoutes(new OperatorActions(network, clock)),
]
