import { cityOf } from '../http/caller.ts'
import { route } from '../http/route.ts'
import { SupervisorHealth } from './schema.ts'
import type { Supervisor } from './supervisor.ts'

/** The operation that is answered before the code of the others is loaded. */
export const healthRoute = (gc: Supervisor) =>
  route('GET /health', { id: 'get-health', summary: 'Check whether the supervisor is up', ok: SupervisorHealth }, (x) =>
    gc.health(cityOf(x.caller)),
  )
