import { type Declaration, locationOf, requiredString, string, type ValuesOf } from '../declare/index.ts'
import { type Diagnostics, suggestion, withHint } from '../files/index.ts'

/** `[[extmsg.default_route]]`: which agent answers conversations of a messenger that are bound to no one. */
export const DEFAULT_ROUTE = {
  provider: requiredString('provider'),
  accountId: string('account_id'),
  agent: requiredString('agent'),
}
export type DefaultRouteFields = ValuesOf<typeof DEFAULT_ROUTE>

/** A route to a session that exists. */
export interface DefaultRouteConfig {
  /** In lower case. */
  readonly provider: string
  /** Absent for every account. */
  readonly accountId?: string
  /** A named session, by its qualified name. */
  readonly agent: string
}

/** The routes whose agent has a named session; another is warned of and leads nowhere. */
export function resolveDefaultRoutes(
  routes: readonly Declaration<DefaultRouteFields>[],
  sessions: readonly string[],
  diagnostics: Diagnostics,
): DefaultRouteConfig[] {
  return routes.flatMap((declaration) => {
    const { provider, accountId, agent } = declaration.values
    if (provider === undefined || agent === undefined) return []
    if (sessions.includes(agent))
      return { provider: provider.trim().toLowerCase(), ...(accountId && { accountId }), agent }
    const message = `there is no [[named_session]] "${agent}"; the route leads nowhere`
    diagnostics.warning(locationOf(declaration, 'agent'), withHint(message, suggestion(agent, sessions)))
    return []
  })
}
