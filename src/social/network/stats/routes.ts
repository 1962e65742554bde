import { route } from '../../../http/route.ts'
import { NetworkStats } from './schema.ts'
import type { Stats } from './stats.ts'

export const statsRoutes = ({ stats }: { readonly stats: Stats }) => [
  route(
    'GET /api/v1/stats',
    { id: 'getStats', summary: 'Show statistics of the network', publicRead: true, ok: NetworkStats },
    () => stats.show(),
  ),
]
