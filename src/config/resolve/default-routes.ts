import type { DefaultRouteConfig, NamedSessionConfig } from '../city-config.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { locationOf } from '../declare/declaration.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import { suggestion, withHint } from '../diagnostics/suggestion.ts'

/** The routes whose agent has a named session; another is warned of and leads nowhere. */
export function resolveDefaultRoutes(
  { defaultRoutes }: CityDeclarations,
  named: readonly NamedSessionConfig[],
  diagnostics: Diagnostics,
): DefaultRouteConfig[] {
  return defaultRoutes.flatMap((declaration) => {
    const { provider, accountId, agent } = declaration.values
    if (provider === undefined || agent === undefined) return []
    const session = named.find(({ qualified }) => qualified === agent)
    if (session) return { provider: provider.trim().toLowerCase(), ...(accountId && { accountId }), agent }
    const names = named.map(({ qualified }) => qualified)
    const message = `there is no [[named_session]] "${agent}"; the route leads nowhere`
    diagnostics.warning(locationOf(declaration, 'agent'), withHint(message, suggestion(agent, names)))
    return []
  })
}
