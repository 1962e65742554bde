import type { AgentConfig, NamedSessionConfig } from '../city-config.ts'
import { localName } from '../declare/apply-patch.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { type Declaration, locationOf, withValue } from '../declare/declaration.ts'
import type { NamedSessionFields } from '../declare/named-session.ts'
import { AGENT_NAME, qualify } from '../declare/names.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'

export function resolveNamedSessions(
  { namedSessions, rigs }: CityDeclarations,
  agents: readonly AgentConfig[],
  diagnostics: Diagnostics,
): NamedSessionConfig[] {
  const resolved: NamedSessionConfig[] = []
  for (const declaration of namedSessions.flatMap((each) => inRigs(each, rigs))) {
    const session = resolveNamedSession(declaration, agents, diagnostics)
    if (!session) continue
    if (resolved.some(({ qualified }) => qualified === session.qualified)) {
      const field = declaration.values.name === undefined ? 'template' : 'name'
      diagnostics.error(locationOf(declaration, field), `"${session.qualified}" is an earlier named session`)
    } else resolved.push(session)
  }
  return resolved
}

/** One of scope rig that names none is one in each rig. */
function inRigs(
  declaration: Declaration<NamedSessionFields>,
  rigs: CityDeclarations['rigs'],
): Declaration<NamedSessionFields>[] {
  const { scope, dir } = declaration.values
  if (scope !== 'rig' || dir !== undefined) return [declaration]
  const origin = declaration.origins.scope
  return rigs.map((rig) => withValue<NamedSessionFields, 'dir'>(declaration, 'dir', rig.values.name, origin))
}

function resolveNamedSession(
  declaration: Declaration<NamedSessionFields>,
  agents: readonly AgentConfig[],
  diagnostics: Diagnostics,
): NamedSessionConfig | undefined {
  const { template, name: declaredName, dir: declaredDir, mode = 'on_demand' } = declaration.values
  if (template === undefined) return undefined
  const qualifiedTemplate = qualify(declaredDir, template)
  const agent =
    agents.find(({ qualified }) => qualified === qualifiedTemplate) ??
    agents.find(({ qualified }) => qualified === template)
  if (!agent) {
    const message = `there is no agent "${qualifiedTemplate}"; the session cannot start`
    diagnostics.warning(locationOf(declaration, 'template'), message)
  }
  if (declaredName !== undefined && !AGENT_NAME.test(localName(declaredName, declaration.binding))) {
    const message = `"${declaredName}" must begin with a letter or digit and go on with those, "-" or "_"`
    diagnostics.error(locationOf(declaration, 'name'), message)
  }
  const name = declaredName ?? agent?.name ?? template
  const dir = declaredDir ?? agent?.dir
  return { name, dir, qualified: qualify(dir, name), template: agent?.qualified ?? template, mode }
}
