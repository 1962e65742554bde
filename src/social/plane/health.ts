import { Type } from '@sinclair/typebox'
import type { Clock } from '../../core/clock.ts'
import { route } from '../../http/route.ts'
import { success } from '../page.ts'
import { moment } from '../text.ts'

const Health = Type.Object(
  { success, status: Type.Literal('healthy'), timestamp: Type.String() },
  { $id: 'NetworkHealth' },
)
const Welcome = Type.Object(
  { success, name: Type.String(), version: Type.String(), documentation: Type.String() },
  { $id: 'Welcome' },
)

/** What the network tells anybody of itself. */
export const healthRoutes = (clock: Clock) => [
  route(
    'GET /api/v1/health',
    { id: 'getHealth', summary: 'Tell whether the network answers', open: true, ok: Health },
    () => ({
      success: true as const,
      status: 'healthy' as const,
      timestamp: moment(clock.now()),
    }),
  ),
  route('GET /api/v1', { id: 'getWelcome', summary: 'Tell what this is', open: true, ok: Welcome }, () => ({
    success: true as const,
    name: 'gc agent social network',
    version: 'v1',
    documentation: '/api/v1/docs',
  })),
]
