import { AppError } from '../../core/errors.ts'
import type { ProviderOption } from '../../programs/parts/index.ts'
import { BUILTINS } from '../../programs/presets.ts'
import { suggestion, withHint } from '../files/index.ts'
import type { DeclaredProviders, Provider, ProviderConfig } from './config.ts'

type Confine = NonNullable<ProviderConfig['confine']>

/** A provider in a chain of bases. */
export interface ProviderLink {
  name: string
  builtin: boolean
  config: ProviderConfig
}

const resolved = new WeakMap<DeclaredProviders, Map<string, Provider>>()

/** Merges a provider with its bases. A declared name wins over a builtin; a builtin not declared stands unchanged. */
export function resolveProvider(name: string, declared: DeclaredProviders): Provider {
  const known = resolved.get(declared) ?? new Map<string, Provider>()
  resolved.set(declared, known)
  return known.getOrInsertComputed(name, () => mergedProvider(name, declared))
}

function mergedProvider(name: string, declared: DeclaredProviders): Provider {
  const chain = providerChain(name, declared)
  const merged = chain.reduceRight<ProviderConfig>((base, { config }) => merge(base, config), {})
  if (!merged.command) {
    throw new AppError('validation-failed', `provider "${name}" has no command; give it one, or a base that has one`)
  }
  const ancestor = chain.findLast((link) => link.builtin)?.name
  const { base: _, argsAppend, optionsSchemaMerge: __, ...rest } = merged
  return {
    ...rest,
    name,
    ancestor,
    command: merged.command,
    args: [...(merged.args ?? []), ...(argsAppend ?? [])],
    promptMode: merged.promptMode ?? 'arg',
    env: merged.env ?? {},
    optionDefaults: merged.optionDefaults ?? {},
    optionsSchema: merged.optionsSchema ?? [],
  }
}

/** Throws for a provider that is neither declared nor built in. */
export function requireProvider(name: string, declared: DeclaredProviders): void {
  if (declared.has(name) || BUILTINS.has(name)) return
  const hint = suggestion(name, [...declared.keys(), ...BUILTINS.keys()]) || `declare [providers.${name}] in city.toml`
  throw new AppError('invalid-request', withHint(`provider "${name}" is neither declared nor built in`, hint))
}

interface AgentSettings {
  readonly env: Readonly<Record<string, string>>
  readonly session?: string | undefined
}

/** The program that a provider starts for an agent. */
export interface ProviderProgram {
  /** Its name, or its path. */
  readonly command: string
  /** The PATH that the agent or the provider declares. */
  readonly path?: string | undefined
}

export function programOf(provider: Provider, agent?: AgentSettings): ProviderProgram {
  const line = (agent?.session === 'acp' && provider.acpCommand) || provider.command
  const command = provider.pathCheck ?? /^\S*/.exec(line)?.[0] ?? ''
  return { command, path: agent?.env.PATH ?? provider.env.PATH }
}

/** The provider and its bases, itself first. */
export function providerChain(name: string, declared: DeclaredProviders): ProviderLink[] {
  const chain: ProviderLink[] = []
  for (let next = find(name, declared); next; ) {
    const { name: current, builtin } = next
    if (chain.some((link) => link.name === current && link.builtin === builtin)) {
      const path = [...chain, next].map((link) => link.name).join(' → ')
      throw new AppError('validation-failed', `provider "${name}" is its own base: ${path}`)
    }
    chain.push(next)
    next = baseOf(next, declared)
  }
  if (chain.length > 0) return chain
  const names = [...new Set([...declared.keys(), ...BUILTINS.keys()])].join(', ')
  throw new AppError('provider-not-found', `provider "${name}" is not known; known are ${names}`)
}

function find(name: string, declared: DeclaredProviders): ProviderLink | undefined {
  const config = declared.get(name)
  return config ? { name, builtin: false, config } : findBuiltin(name)
}

function findBuiltin(name: string): ProviderLink | undefined {
  const config = BUILTINS.get(name)
  return config && { name, builtin: true, config }
}

function baseOf({ name, builtin, config }: ProviderLink, declared: DeclaredProviders): ProviderLink | undefined {
  if (builtin || config.base === '') return undefined
  if (config.base === undefined) return findBuiltin(name) ?? findBuiltin(config.command ?? '')
  const [, prefix, base = ''] = /^(?:([^:]*):)?(.*)$/.exec(config.base) ?? []
  const parent = findNamed(name, prefix, base, declared)
  if (parent) return parent
  throw new AppError('validation-failed', `provider "${name}" has the base "${config.base}", which is not known`)
}

function findNamed(
  self: string,
  prefix: string | undefined,
  base: string,
  declared: DeclaredProviders,
): ProviderLink | undefined {
  const custom = declared.get(base)
  if (prefix === 'builtin') return findBuiltin(base)
  if (prefix === 'provider') return custom && { name: base, builtin: false, config: custom }
  if (prefix !== undefined) return undefined
  return custom && base !== self ? { name: base, builtin: false, config: custom } : findBuiltin(base)
}

/** The child's values win; maps merge by key, appended arguments add up. */
function merge(base: ProviderConfig, child: ProviderConfig): ProviderConfig {
  const merged = { ...base, ...declaredValues(child) }
  const schema = mergeOptions(base.optionsSchema ?? [], child)
  const isIncluded = (key: string) => !child.optionsSchema?.some((option) => option.omit && option.key === key)
  const defaults = { ...base.optionDefaults, ...child.optionDefaults }
  return {
    ...merged,
    ...((base.packs || child.packs) && { packs: [...(base.packs ?? []), ...(child.packs ?? [])] }),
    ...(base.confine && child.confine && { confine: over(base.confine, child.confine) }),
    argsAppend: [...(base.argsAppend ?? []), ...(child.argsAppend ?? [])],
    env: { ...base.env, ...child.env },
    optionDefaults: Object.fromEntries(Object.entries(defaults).filter(([key]) => isIncluded(key))),
    optionsSchema: schema,
  }
}

const over = (base: Confine, child: Confine): Confine => ({
  ...child,
  values: { ...base.values, ...child.values },
  origins: { ...base.origins, ...child.origins },
})

/** The keys that have a value: an empty string is none, an empty list is one. */
const declaredValues = (config: ProviderConfig): ProviderConfig =>
  Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined && value !== ''))

function mergeOptions(base: ProviderOption[], child: ProviderConfig): ProviderOption[] {
  if (!child.optionsSchema) return base
  if (child.optionsSchemaMerge !== 'by_key') return child.optionsSchema.filter((option) => !option.omit)
  const options = new Map(base.map((option) => [option.key, option]))
  for (const option of child.optionsSchema) {
    if (option.omit) options.delete(option.key)
    else options.set(option.key, option)
  }
  return [...options.values()]
}
