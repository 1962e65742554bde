import { route } from '../../../http/route.ts'
import { requireOperator } from '../../shared/index.ts'
import type { NetworkBackup } from './backup.ts'

/** A copy of the whole network. */
export const networkBackupRoutes = ({ backup }: { readonly backup: NetworkBackup }) => [
  route(
    'GET /api/v1/operator/backup',
    {
      id: 'backupNetwork',
      summary: 'Copy the whole network into one file',
      description:
        'Only for the operator of this server. A gzipped tar file of the network as of now, which works on; `gc social restore` restores it.',
      ok: { media: 'application/gzip' },
      extension: true,
      longRunning: true,
    },
    (context) => {
      requireOperator(context)
      return backup.stream()
    },
  ),
]
