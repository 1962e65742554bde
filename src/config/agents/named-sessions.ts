import {
  AGENT_NAME,
  type Declaration,
  localName,
  locationOf,
  mergeValues,
  oneOf,
  qualify,
  requiredString,
  string,
  type ValuesOf,
  withValue,
  written,
} from '../declare/index.ts'
import type { Diagnostics } from '../files/index.ts'
import type { AgentConfig } from './agent.ts'

/** `[[named_session]]`: an identity that is kept for one session of an agent. */
export const NAMED_SESSION = {
  template: requiredString('template'),
  name: string('name'),
  dir: string('dir'),
  scope: oneOf('scope', ['city', 'rig']),
  mode: oneOf('mode', ['on_demand', 'always']),
}
export type NamedSessionFields = ValuesOf<typeof NAMED_SESSION>

/** `[[patches.named_session]]`. */
export const NAMED_SESSION_PATCH = {
  name: string('name'),
  template: string('template'),
  dir: string('dir'),
  mode: oneOf('mode', ['on_demand', 'always']),
  written,
}
export type NamedSessionPatchFields = ValuesOf<typeof NAMED_SESSION_PATCH>

/** Named sessions with what a patch says of the one that it names. */
export function patchNamedSession(
  sessions: readonly Declaration<NamedSessionFields>[],
  patch: Declaration<NamedSessionPatchFields>,
  diagnostics: Diagnostics,
): readonly Declaration<NamedSessionFields>[] {
  const { name, template, dir, mode } = patch.values
  const field = name === undefined ? 'template' : 'name'
  const named = sessions.filter(({ values }) => {
    const matches = name === undefined ? values.template === template : (values.name ?? values.template) === name
    return matches && (dir === undefined || values.dir === dir)
  })
  const ofCity = dir === undefined ? named.filter(({ values }) => values.dir === undefined) : []
  const matching = ofCity.length === 1 ? ofCity : named
  const [target] = matching
  if (!target || matching.length > 1) {
    const count = target ? 'several named sessions' : 'no named session'
    diagnostics.error(locationOf(patch, field), `there ${target ? 'are' : 'is'} ${count} "${name ?? template ?? ''}"`)
    return sessions
  }
  return sessions.map((each) => (each === target && mode ? mergeValues(each, { mode }, patch) : each))
}

/** `[[named_session]]`: an identity that is kept for one session of an agent. */
export interface NamedSessionConfig {
  readonly name: string
  readonly dir?: string
  readonly qualified: string
  /** The qualified name of the agent it runs. */
  readonly template: string
  readonly mode: 'on_demand' | 'always'
}

interface NamedSessionScope {
  /** The rigs of the city by name, as they are declared. */
  readonly rigs: readonly (string | undefined)[]
  readonly agents: readonly AgentConfig[]
  readonly diagnostics: Diagnostics
}

export function resolveNamedSessions(
  declared: readonly Declaration<NamedSessionFields>[],
  { rigs, agents, diagnostics }: NamedSessionScope,
): NamedSessionConfig[] {
  const resolved: NamedSessionConfig[] = []
  for (const declaration of declared.flatMap((each) => inRigs(each, rigs))) {
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
  rigs: NamedSessionScope['rigs'],
): Declaration<NamedSessionFields>[] {
  const { scope, dir } = declaration.values
  if (scope !== 'rig' || dir !== undefined) return [declaration]
  const origin = declaration.origins.scope
  return rigs.map((rig) => withValue<NamedSessionFields, 'dir'>(declaration, 'dir', rig, origin))
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
    const message = `"${declaredName}" must start with a letter or digit and contain only letters, digits, "-" or "_"`
    diagnostics.error(locationOf(declaration, 'name'), message)
  }
  const name = declaredName ?? agent?.name ?? template
  const dir = declaredDir ?? agent?.dir
  return { name, dir, qualified: qualify(dir, name), template: agent?.qualified ?? template, mode }
}
