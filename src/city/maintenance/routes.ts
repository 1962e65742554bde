import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import type { Backup } from './backup.ts'
import type { Maintenance } from './maintenance.ts'
import { MaintenanceStatusBody, MaintenanceTriggerBody } from './schema.ts'

/** The operations on the upkeep of a city's store. */
export const maintenanceRoutes = (city: CityOf<{ maintenance: Maintenance; backup: Backup }>) => [
  route(
    'GET ~/maintenance/status',
    {
      id: 'get-v0-city-by-city-name-maintenance-status',
      summary: 'Tell when the store was last looked after, and when it is next',
      ok: MaintenanceStatusBody,
      age: true,
    },
    (x) => city(x).maintenance.status(),
  ),
  route(
    'POST ~/maintenance/dolt-gc',
    {
      id: 'trigger-maintenance-dolt-gc',
      summary: 'Give space that the store does not use back to the disk',
      description: 'Work goes on meanwhile. An event tells how it ended.',
      query: Type.Object({ wait: Type.Optional(Type.Boolean({ description: 'Answer when it is over.' })) }),
      ok: { 202: MaintenanceTriggerBody },
      refuses: ['maintenance-in-progress'],
      long: true,
    },
    (x) => city(x).maintenance.trigger(x.query.wait ?? false),
  ),
  route(
    'GET ~/backup',
    {
      id: 'backup-city',
      summary: 'Copy a whole city into one file',
      description: 'A gzipped tar of its files and its database, as of now; work goes on. `gc restore` brings it back.',
      ok: { media: 'application/gzip' },
      refuses: ['forbidden'],
      extension: true,
      long: true,
    },
    (x) => city(x).backup.stream(x.caller),
  ),
]
