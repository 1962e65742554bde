import { AppError } from '../../core/errors.ts'
import { BUILTINS } from '../../programs/presets.ts'
import { type DeclaredProviders, effectiveOptions, type Provider, resolveProvider } from '../providers/index.ts'
import type { ProviderList, ProviderPublic, ProviderPublicList, ProviderResponse } from './schema.ts'

/** Every provider as it is declared: the city's by name, then the builtins it does not declare itself. */
export function listProviders(declared: DeclaredProviders): ProviderList {
  const items = namesOf(declared).map((name) => getProvider(declared, name))
  return { items, total: items.length }
}

export function getProvider(declared: DeclaredProviders, name: string): ProviderResponse {
  const config = declared.get(name) ?? BUILTINS.get(name)
  if (!config)
    throw new AppError('provider-not-found', `provider "${name}" is neither declared in city.toml nor built in`)
  return {
    ...identityOf(declared, name),
    ...optional('display_name', config.displayName),
    ...optional('command', config.command),
    ...optional('args', config.args?.length === 0 ? undefined : config.args),
    ...optional('acp_command', config.acpCommand),
    ...optional('acp_args', config.acpArgs),
    ...optional('prompt_mode', config.promptMode ?? (declared.has(name) ? undefined : 'arg')),
    ...optional('prompt_flag', config.promptFlag),
    ...optional('ready_delay_ms', config.readyDelayMs),
    ...optional('env', Object.keys(config.env ?? {}).length === 0 ? undefined : config.env),
  }
}

/** Every provider with its options, bases merged in; one that cannot be resolved has none. */
export function listPublicProviders(declared: DeclaredProviders): ProviderPublicList {
  const items = namesOf(declared).map((name) => publicProvider(declared, name))
  return { items, total: items.length }
}

function publicProvider(declared: DeclaredProviders, name: string): ProviderPublic {
  const provider = tryResolve(declared, name)
  const options = provider?.optionsSchema.map(({ key, label, type, default: value, choices }) => ({
    key,
    label,
    type,
    default: value,
    choices: choices.map((choice) => ({ value: choice.value, label: choice.label })),
  }))
  return {
    ...identityOf(declared, name),
    ...optional('display_name', provider?.displayName),
    ...(provider && options && options.length > 0
      ? { options_schema: options, effective_defaults: effectiveOptions(provider) }
      : {}),
  }
}

function tryResolve(declared: DeclaredProviders, name: string): Provider | undefined {
  try {
    const provider = resolveProvider(name, declared)
    effectiveOptions(provider)
    return provider
  } catch (error) {
    if (error instanceof AppError) return undefined
    throw error
  }
}

const namesOf = (declared: DeclaredProviders): string[] => [
  ...[...declared.keys()].sort(),
  ...[...BUILTINS.keys()].filter((name) => !declared.has(name)),
]

const identityOf = (declared: DeclaredProviders, name: string) => ({
  name,
  builtin: BUILTINS.has(name),
  city_level: declared.has(name),
})

const optional = <Key extends string, Value>(key: Key, value: Value | undefined) =>
  (value === undefined ? {} : { [key]: value }) as { [K in Key]?: Value }
