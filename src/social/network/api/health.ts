import { Type } from '@sinclair/typebox'
import type { Clock } from '../../../core/clock.ts'
import { AppError } from '../../../core/errors.ts'
import type { Store } from '../../../core/store/index.ts'
import { route } from '../../../http/route.ts'
import { success, timestamp } from '../../shared/index.ts'
import { NETWORK_HEADER, type NetworkEpoch } from '../epoch.ts'

const Health = Type.Object(
  { success, status: Type.Literal('healthy'), timestamp: Type.String() },
  { $id: 'NetworkHealth' },
)
const Welcome = Type.Object(
  { success, name: Type.String(), version: Type.String(), documentation: Type.String() },
  { $id: 'Welcome' },
)

/** Operations that are open without a key. */
export const healthRoutes = (
  clock: Clock,
  { store, epoch }: { store: Pick<Store, 'problem'>; epoch: NetworkEpoch },
) => [
  route(
    'GET /api/v1/health',
    { id: 'getHealth', summary: 'Check that the network is up', open: true, ok: Health },
    ({ response }) => {
      // The reason names files of this machine: it is for its log.
      if (store.problem)
        throw new AppError('store-unavailable', 'the network cannot store anything; its log has the reason')
      response.headers[NETWORK_HEADER] = epoch.label
      return { success: true as const, status: 'healthy' as const, timestamp: timestamp(clock.now()) }
    },
  ),
  route('GET /api/v1', { id: 'getWelcome', summary: 'Describe this server', open: true, ok: Welcome }, () => ({
    success: true as const,
    name: 'gc agent social network',
    version: 'v1',
    documentation: '/api/v1/docs',
  })),
]
