import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import type { Backup } from './backup.ts'

export const backupRoutes = (city: CityOf<{ backup: Backup }>) => [
  route(
    'GET ~/backup',
    {
      id: 'backup-city',
      summary: 'Copy a whole city into one file',
      needs: 'operator',
      description:
        'A gzipped tar file of its files and its database as of now; the city keeps working. `gc restore` restores it.',
      query: Type.Object({
        file: Type.Optional(
          Type.String({ maxLength: 4096, description: 'Location chosen by the caller, returned if the city is lost.' }),
        ),
      }),
      ok: { media: 'application/gzip' },
      errors: ['forbidden'],
      extension: true,
      longRunning: true,
    },
    (x) => city(x).backup.stream(x.query.file),
  ),
]
