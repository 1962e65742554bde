import { Type } from '@sinclair/typebox'
import type { CityOf } from '../../http/city-of.ts'
import { route } from '../../http/route.ts'
import { MAINTENANCE_IN_PROGRESS } from './errors.ts'
import type { Maintenance } from './maintenance.ts'
import { MaintenanceStatusBody, MaintenanceTriggerBody } from './schema.ts'

/** The operations on the maintenance of a city's store. */
export const maintenanceRoutes = (city: CityOf<{ maintenance: Maintenance }>) => [
  route(
    'GET ~/maintenance/status',
    {
      id: 'get-v0-city-by-city-name-maintenance-status',
      summary: 'Read the maintenance history of the store, and its next run',
      ok: MaintenanceStatusBody,
      age: true,
    },
    (x) => city(x).maintenance.status(),
  ),
  route(
    'POST ~/maintenance/dolt-gc',
    {
      id: 'trigger-maintenance-dolt-gc',
      summary: 'Compact the store',
      needs: 'maintain',
      description: 'The city keeps running. An event reports the outcome.',
      query: Type.Object({ wait: Type.Optional(Type.Boolean({ description: 'Respond when it has finished.' })) }),
      ok: { 202: MaintenanceTriggerBody },
      errors: [MAINTENANCE_IN_PROGRESS],
      longRunning: true,
    },
    (x) => city(x).maintenance.trigger(x.caller, x.query.wait ?? false),
  ),
]
