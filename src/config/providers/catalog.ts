import { AppError } from '../../core/errors.ts'
import { effectiveOptions } from './launch.ts'
import { BUILTINS } from './presets.ts'
import type { Provider, ProviderConfig } from './provider.ts'
import { resolveProvider } from './resolve.ts'
import type { ProviderList, ProviderPublic, ProviderPublicList, ProviderResponse } from './schema.ts'

/** The providers a city declares, by name. */
type Declared = ReadonlyMap<string, ProviderConfig>

/** Every provider as it is declared: the city's by name, then the builtins it does not declare itself. */
export function listProviders(declared: Declared): ProviderList {
  const items = names(declared).map((name) => getProvider(declared, name))
  return { items, total: items.length }
}

export function getProvider(declared: Declared, name: string): ProviderResponse {
  const spec = declared.get(name) ?? BUILTINS.get(name)
  if (!spec)
    throw new AppError('provider-not-found', `provider "${name}" is neither declared in city.toml nor built in`)
  return {
    ...identity(declared, name),
    ...given('display_name', spec.displayName),
    ...given('command', spec.command),
    ...given('args', spec.args),
    ...given('acp_command', spec.acpCommand),
    ...given('acp_args', spec.acpArgs),
    ...given('prompt_mode', spec.promptMode),
    ...given('prompt_flag', spec.promptFlag),
    ...given('ready_delay_ms', spec.readyDelayMs),
    ...given('env', spec.env),
  }
}

/** Every provider with what may be chosen about it, its bases merged in; one that cannot be resolved offers nothing. */
export function listPublicProviders(declared: Declared): ProviderPublicList {
  const items = names(declared).map((name) => publicProvider(declared, name))
  return { items, total: items.length }
}

function publicProvider(declared: Declared, name: string): ProviderPublic {
  const provider = resolved(declared, name)
  const options = provider?.optionsSchema.map(({ key, label, type, default: value, choices }) => ({
    key,
    label,
    type,
    default: value,
    choices: choices.map((choice) => ({ value: choice.value, label: choice.label })),
  }))
  return {
    ...identity(declared, name),
    ...given('display_name', provider?.displayName),
    ...(provider && options && options.length > 0
      ? { options_schema: options, effective_defaults: effectiveOptions(provider) }
      : {}),
  }
}

function resolved(declared: Declared, name: string): Provider | undefined {
  try {
    const provider = resolveProvider(name, declared)
    effectiveOptions(provider)
    return provider
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

const names = (declared: Declared): string[] => [
  ...[...declared.keys()].sort(),
  ...[...BUILTINS.keys()].filter((name) => !declared.has(name)),
]

const identity = (declared: Declared, name: string) => ({
  name,
  builtin: BUILTINS.has(name),
  city_level: declared.has(name),
})

const given = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value }
