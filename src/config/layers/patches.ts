import { mergeValues } from '../declare/apply-patch.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import { qualify } from '../declare/names.ts'
import { patchNamedSession } from '../declare/patch-named-session.ts'
import type { AgentPatchFields, MonitorPatchFields, ProviderPatchFields, RigPatchFields } from '../declare/patches.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import { suggestion, withHint } from '../diagnostics/suggestion.ts'
import { impliedNames } from './implicit-agents.ts'
import type { Layer } from './layer.ts'
import { patchAgents } from './patch-agents.ts'

/** `[patches]` of pack.toml, then of city.toml. Those of agents that are only implied are applied once these exist. */
export const patches: Layer = {
  name: 'patches',
  isEditable: true,
  apply(lower, { diagnostics }) {
    const implied = impliedNames(lower)
    const { agents, rigs, providers, namedSessions, monitors } = lower.patches
    return {
      ...lower,
      agents: patchAgents(lower.agents, agents, (patch) => {
        if (!implied.has(qualify(patch.values.dir, patch.values.name ?? ''))) missingAgent(patch, lower, diagnostics)
      }),
      namedSessions: namedSessions.reduce(
        (current, patch) => patchNamedSession(current, patch, diagnostics),
        lower.namedSessions,
      ),
      rigs: rigs.reduce((current, patch) => patchRig(current, patch, diagnostics), lower.rigs),
      providers: providers.reduce((current, patch) => patchProvider(current, patch, diagnostics), lower.providers),
      monitors: monitors.reduce((current, patch) => patchMonitor(current, patch, diagnostics), lower.monitors),
    }
  },
}

function missingAgent(
  patch: Declaration<AgentPatchFields>,
  { agents }: CityDeclarations,
  diagnostics: Diagnostics,
): void {
  const name = qualify(patch.values.dir, patch.values.name ?? '')
  const names = agents.map(({ values }) => qualify(values.dir, values.name ?? ''))
  diagnostics.error(locationOf(patch, 'name'), withHint(`there is no agent "${name}"`, suggestion(name, names)))
}

function patchRig(
  rigs: CityDeclarations['rigs'],
  patch: Declaration<RigPatchFields>,
  diagnostics: Diagnostics,
): CityDeclarations['rigs'] {
  const { name, written: _, ...values } = patch.values
  if (name === undefined) return rigs
  const target = rigs.find((rig) => rig.values.name === name)
  if (!target) {
    const hint = suggestion(
      name,
      rigs.map((rig) => rig.values.name ?? ''),
    )
    diagnostics.error(locationOf(patch, 'name'), withHint(`there is no rig "${name}"`, hint))
  }
  return rigs.map((rig) => (rig === target ? mergeValues(rig, values, patch) : rig))
}

function patchMonitor(
  monitors: CityDeclarations['monitors'],
  patch: Declaration<MonitorPatchFields>,
  diagnostics: Diagnostics,
): CityDeclarations['monitors'] {
  const { name, ...values } = patch.values
  if (name === undefined) return monitors
  const target = monitors.find((monitor) => monitor.values.name === name)
  if (!target) {
    const hint = suggestion(
      name,
      monitors.map((monitor) => monitor.values.name ?? ''),
    )
    diagnostics.error(locationOf(patch, 'name'), withHint(`there is no monitor "${name}"`, hint))
  }
  return monitors.map((monitor) => (monitor === target ? mergeValues(monitor, values, patch) : monitor))
}

function patchProvider(
  providers: CityDeclarations['providers'],
  patch: Declaration<ProviderPatchFields>,
  diagnostics: Diagnostics,
): CityDeclarations['providers'] {
  const { name, written: _, replace = false, envRemove = [], ...values } = patch.values
  if (name === undefined) return providers
  const target = providers.get(name)
  if (!target) {
    const hint = suggestion(name, providers.keys()) || `declare [providers.${name}] first`
    diagnostics.error(locationOf(patch, 'name'), `provider "${name}" is not declared; ${hint}`)
    return providers
  }
  const patched = mergeValues(replace ? { ...target, values: {}, origins: {} } : target, values, patch)
  const { env } = patched.values
  if (!env || envRemove.length === 0) return new Map([...providers, [name, patched]])
  const remaining = Object.fromEntries(Object.entries(env).filter(([variable]) => !envRemove.includes(variable)))
  return new Map([...providers, [name, { ...patched, values: { ...patched.values, env: remaining } }]])
}
