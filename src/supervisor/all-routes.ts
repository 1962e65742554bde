import { accountRoutes } from '../agents/accounts/routes.ts'
import { agentRoutes } from '../agents/agents/routes.ts'
import { attentionRoutes } from '../agents/attention/routes.ts'
import { confinementRoutes } from '../agents/confinement/routes.ts'
import { shareRoutes } from '../agents/confinement/shares/routes.ts'
import { trafficRoutes } from '../agents/confinement/traffic/routes.ts'
import { detachedProcessRoutes } from '../agents/lifecycle/detached/routes.ts'
import { networkAccountRoutes } from '../agents/network/routes.ts'
import { readinessRoutes } from '../agents/readiness/routes.ts'
import { sessionRoutes } from '../agents/sessions/routes.ts'
import { budgetRoutes } from '../agents/usage/budgets/routes.ts'
import { usageRoutes } from '../agents/usage/routes.ts'
import { worktreeRoutes } from '../agents/worktrees/routes.ts'
import { backupRoutes } from '../city/backup/routes.ts'
import type { City } from '../city/city.ts'
import { commandTokenRoutes } from '../city/command-tokens/routes.ts'
import { counterRoutes } from '../city/counters/routes.ts'
import { eventRoutes } from '../city/events/routes.ts'
import { maintenanceRoutes } from '../city/maintenance/routes.ts'
import { statusRoutes } from '../city/status/routes.ts'
import { providerRoutes } from '../config/catalog/routes.ts'
import { packRoutes } from '../config/packs/routes.ts'
import { patchRoutes } from '../config/patches/routes.ts'
import { rigRoutes } from '../config/rigs/routes.ts'
import { configRoutes } from '../config/views/routes.ts'
import { externalMessageRoutes } from '../connect/extmsg/routes.ts'
import { serviceRoutes } from '../connect/services/routes.ts'
import { webhookRoutes } from '../connect/webhooks/routes.ts'
import type { CityOf } from '../http/city-of.ts'

import { formulaRoutes } from '../orchestration/formulas/routes.ts'
import { gateRoutes } from '../orchestration/gates/routes.ts'
import { orderRoutes } from '../orchestration/orders/routes.ts'

import { runRoutes } from '../orchestration/runs/routes.ts'

import { slingRoutes } from '../orchestration/sling/routes.ts'
import { beadRoutes } from '../work/beads/routes.ts'
import { claimRoutes } from '../work/claims/routes.ts'
import { commentRoutes } from '../work/comments/routes.ts'
import { convoyRoutes } from '../work/convoys/routes.ts'
import { mailRoutes } from '../work/mail/routes.ts'
import { searchRoutes } from '../work/search/routes.ts'
import { transferRoutes } from '../work/transfer/routes.ts'
import { waitRoutes } from '../work/waits/routes.ts'
import { supervisorRoutes } from './routes.ts'
import type { Supervisor } from './supervisor.ts'

/** Every operation of the supervisor's plane. */
export function allRoutes(gc: Supervisor) {
  const city: CityOf<City> = ({ params }) => gc.cities.requireRunning(params.cityName)
  return [
    ...supervisorRoutes(gc),
    ...statusRoutes(city),
    ...waitRoutes(city),
    ...webhookRoutes(city),
    ...agentRoutes(city),
    ...attentionRoutes(city),
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
    ...readinessRoutes(gc.readiness, city),
    ...detachedProcessRoutes(city),
    ...trafficRoutes(city),
    ...shareRoutes(city),
    ...worktreeRoutes(city),
    ...confinementRoutes(city),
  ]
}
