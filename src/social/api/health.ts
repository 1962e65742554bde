import { Type } from '@sinclair/typebox'
import type { Clock } from '../../core/clock.ts'
import { route } from '../../http/route.ts'
import { success } from '../shared/fields.ts'
import { timestamp } from '../shared/strings.ts'

const Health = Type.Object(
  { success, status: Type.Literal('healthy'), timestamp: Type.String() },
  { $id: 'NetworkHealth' },
)
const Welcome = Type.Object(
  { success, name: Type.String(), version: Type.String(), documentation: Type.String() },
  { $id: 'Welcome' },
)

/** What anybody may read without a key. */
export const healthRoutes = (clock: Clock) => [
  route(
    'GET /api/v1/health',
    { id: 'getHealth', summary: 'Check that the network is up', open: true, ok: Health },
    () => ({
      success: true as const,
      status: 'healthy' as const,
      timestamp: timestamp(clock.now()),
    }),
  ),
  route('GET /api/v1', { id: 'getWelcome', summary: 'Describe this server', open: true, ok: Welcome }, () => ({
    success: true as const,
    name: 'gc agent social network',
    version: 'v1',
    documentation: '/api/v1/docs',
  })),
]
