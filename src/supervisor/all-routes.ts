import { accountRoutes } from '../agents/accounts/index.ts'
import { agentRoutes } from '../agents/agents/index.ts'
import { attentionRoutes } from '../agents/attention/index.ts'
import { confinementRoutes, shareRoutes, trafficRoutes } from '../agents/confinement/index.ts'
import { detachedProcessRoutes } from '../agents/lifecycle/index.ts'
import { networkAccountRoutes } from '../agents/network/index.ts'
import { type Readiness, readinessRoutes } from '../agents/readiness/index.ts'
import { ruleRoutes } from '../agents/rules/index.ts'
import { sessionRoutes } from '../agents/sessions/index.ts'
import { budgetRoutes, usageRoutes } from '../agents/usage/index.ts'
import { worktreeRoutes } from '../agents/worktrees/index.ts'
import { landingRoutes } from '../changes/landing/index.ts'
import { changeRoutes } from '../changes/review/index.ts'
import { backupRoutes } from '../city/backup/index.ts'
import type { City } from '../city/city.ts'
import { commandTokenRoutes } from '../city/command-tokens/index.ts'
import { counterRoutes } from '../city/counters/index.ts'
import { eventRoutes } from '../city/events/index.ts'
import { maintenanceRoutes } from '../city/maintenance/index.ts'
import { statusRoutes } from '../city/status/index.ts'
import { providerRoutes } from '../config/catalog/index.ts'
import { packRoutes } from '../config/pack-api/index.ts'
import { patchRoutes } from '../config/patches/index.ts'
import { rigRoutes } from '../config/rig-api/index.ts'
import { configRoutes } from '../config/views/index.ts'
import { externalMessageRoutes } from '../connect/extmsg/index.ts'
import { serviceRoutes } from '../connect/services/index.ts'
import { webhookRoutes } from '../connect/webhooks/index.ts'
import type { CityOf } from '../http/city-of.ts'

import { formulaRoutes } from '../orchestration/formulas/index.ts'
import { gateRoutes } from '../orchestration/gates/index.ts'
import { orderRoutes } from '../orchestration/orders/index.ts'
import { runRoutes, slingRoutes } from '../orchestration/runs/index.ts'
import { beadRoutes } from '../work/beads/index.ts'
import { claimRoutes } from '../work/claims/index.ts'
import { commentRoutes } from '../work/comments/index.ts'
import { convoyRoutes } from '../work/convoys/index.ts'
import { mailRoutes } from '../work/mail/index.ts'
import { searchRoutes } from '../work/search/index.ts'
import { transferRoutes } from '../work/transfer/index.ts'
import { waitRoutes } from '../work/waits/index.ts'
import type { Metrics } from './metrics.ts'
import { peopleRoutes } from './people/index.ts'
import { supervisorRoutes } from './routes.ts'
import type { Supervisor } from './supervisor.ts'

interface RouteParts {
  gc: Supervisor
  readiness: Readiness
  metrics: Metrics
}

/** Every operation of the supervisor's plane. */
export function allRoutes({ gc, readiness, metrics }: RouteParts) {
  const city: CityOf<City> = ({ params }) => gc.cities.requireRunning(params.cityName)
  return [
    ...supervisorRoutes(gc, metrics),
    ...peopleRoutes(gc.people),
    ...statusRoutes(city),
    ...waitRoutes(city),
    ...webhookRoutes(city),
    ...agentRoutes(city),
    ...attentionRoutes(city),
    ...ruleRoutes(city),
    ...beadRoutes(city),
    ...transferRoutes(city),
    ...claimRoutes(city),
    ...commentRoutes(city),
    ...configRoutes(city),
    ...commandTokenRoutes(city),
    ...convoyRoutes(city),
    ...eventRoutes(city),
    ...externalMessageRoutes(city),
    ...mailRoutes(city),
    ...maintenanceRoutes(city),
    ...counterRoutes(city),
    ...backupRoutes(city),
    ...packRoutes(city),
    ...patchRoutes(city),
    ...providerRoutes(city),
    ...rigRoutes(city),
    ...searchRoutes(city),
    ...serviceRoutes(city),
    ...sessionRoutes(city),
    ...gateRoutes(city),
    ...runRoutes(city),
    ...formulaRoutes(city),
    ...orderRoutes(city),
    ...slingRoutes(city),
    ...usageRoutes(city),
    ...accountRoutes(city),
    ...networkAccountRoutes(city),
    ...budgetRoutes(city),
    ...readinessRoutes(readiness, city),
    ...detachedProcessRoutes(city),
    ...trafficRoutes(city),
    ...shareRoutes(city),
    ...worktreeRoutes(city),
    ...changeRoutes(city),
    ...landingRoutes(city),
    ...confinementRoutes(city),
  ]
}
