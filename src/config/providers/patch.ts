import {
  boolean,
  type Declaration,
  locationOf,
  mergeValues,
  requiredString,
  strings,
  type ValuesOf,
  written,
} from '../declare/index.ts'
import { type Diagnostics, suggestion } from '../files/index.ts'
import type { ProviderConfig } from './config.ts'
import { PROVIDER } from './fields.ts'

/** `[[patches.providers]]`. */
export const PROVIDER_PATCH = {
  name: requiredString('name'),
  ...PROVIDER,
  envRemove: strings('env_remove'),
  /** True if the patch is in place of the whole declaration. */
  replace: boolean('_replace'),
  written,
}
export type ProviderPatchFields = ValuesOf<typeof PROVIDER_PATCH>

export function patchProvider(
  providers: Providers,
  patch: Declaration<ProviderPatchFields>,
  diagnostics: Diagnostics,
): Providers {
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

type Providers = ReadonlyMap<string, Declaration<ProviderConfig>>
