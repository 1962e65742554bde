import { agentRoutes } from '../city/agents/routes.ts'
import { attentionRoutes } from '../city/attention/routes.ts'
import { beadRoutes } from '../city/beads/routes.ts'
import { budgetRoutes } from '../city/budgets/routes.ts'
import type { CityOf } from '../city/city.ts'
import { claimRoutes } from '../city/claims/routes.ts'
import { commentRoutes } from '../city/comments/routes.ts'
import { configRoutes } from '../city/config/routes.ts'
import { convoyRoutes } from '../city/convoys/routes.ts'
import { eventRoutes } from '../city/events/routes.ts'
import { mailRoutes } from '../city/mail/routes.ts'
import { maintenanceRoutes } from '../city/maintenance/routes.ts'
import { providerRoutes } from '../city/providers/routes.ts'
import { readinessRoutes } from '../city/readiness/routes.ts'
import { rigRoutes } from '../city/rigs/routes.ts'
import { searchRoutes } from '../city/search/routes.ts'
import { sessionRoutes } from '../city/sessions/routes.ts'
import { slingRoutes } from '../city/sling/routes.ts'
import { statusRoutes } from '../city/status/routes.ts'
import { usageRoutes } from '../city/usage/routes.ts'
import { waitRoutes } from '../city/waits/routes.ts'
import { worktreeRoutes } from '../city/worktrees/routes.ts'
import type { Route } from '../server/route.ts'
import { supervisorRoutes } from './routes.ts'
import type { Supervisor } from './supervisor.ts'

/** Every operation of the supervisor’s plane; what one of them reads of its city, it reads in one look. */
export function routes(gc: Supervisor): Route[] {
  const city: CityOf = ({ params }) => {
    const found = gc.cities.running(params.cityName)
    found.store.look()
    return found
  }
  return [
    ...supervisorRoutes(gc),
    ...statusRoutes(city),
    ...waitRoutes(city),
    ...agentRoutes(city),
    ...attentionRoutes(city),
    ...beadRoutes(city),
    ...claimRoutes(city),
    ...commentRoutes(city),
    ...configRoutes(city),
    ...convoyRoutes(city),
    ...eventRoutes(city),
    ...mailRoutes(city),
    ...maintenanceRoutes(city),
    ...providerRoutes(city),
    ...rigRoutes(city),
    ...searchRoutes(city),
    ...sessionRoutes(city),
    ...slingRoutes(city),
    ...usageRoutes(city),
    ...budgetRoutes(city),
    ...readinessRoutes(gc.readiness, city),
    ...worktreeRoutes(city),
  ]
}
