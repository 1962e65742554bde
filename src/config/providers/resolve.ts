import { AppError } from '../../core/errors.ts'
import { BUILTINS } from './presets.ts'
import type { Provider, ProviderConfig, ProviderOption } from './provider.ts'

type Declared = ReadonlyMap<string, ProviderConfig>

interface Layer {
  name: string
  builtin: boolean
  spec: ProviderConfig
}

/** Merges a provider with its bases. A declared name wins over a builtin; a builtin not declared stands as it is. */
export function resolveProvider(name: string, declared: Declared): Provider {
  const chain = chainOf(name, declared)
  const merged = chain.reduceRight<ProviderConfig>((base, { spec }) => merge(base, spec), {})
  if (!merged.command) {
    throw new AppError('validation-failed', `provider "${name}" has no command; give it one, or a base that has one`)
  }
  const ancestor = chain.findLast((layer) => layer.builtin)?.name
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

/** The provider and its bases, itself first. */
function chainOf(name: string, declared: Declared): Layer[] {
  const chain: Layer[] = []
  for (let next = find(name, declared); next; ) {
    const { name: at, builtin } = next
    if (chain.some((layer) => layer.name === at && layer.builtin === builtin)) {
      const path = [...chain, next].map((layer) => layer.name).join(' → ')
      throw new AppError('validation-failed', `provider "${name}" is its own base: ${path}`)
    }
    chain.push(next)
    next = baseOf(next, declared)
  }
  if (chain.length > 0) return chain
  const known = [...new Set([...declared.keys(), ...BUILTINS.keys()])].join(', ')
  throw new AppError('provider-not-found', `provider "${name}" is not known; known are ${known}`)
}

function find(name: string, declared: Declared): Layer | undefined {
  const spec = declared.get(name)
  return spec ? { name, builtin: false, spec } : findBuiltin(name)
}

function findBuiltin(name: string): Layer | undefined {
  const spec = BUILTINS.get(name)
  return spec && { name, builtin: true, spec }
}

function baseOf({ name, builtin, spec }: Layer, declared: Declared): Layer | undefined {
  if (builtin || spec.base === '') return undefined
  if (spec.base === undefined) return findBuiltin(name) ?? findBuiltin(spec.command ?? '')
  const [, prefix, base = ''] = /^(?:([^:]*):)?(.*)$/.exec(spec.base) ?? []
  const found = named(name, prefix, base, declared)
  if (found) return found
  throw new AppError('validation-failed', `provider "${name}" has the base "${spec.base}", which is not known`)
}

function named(self: string, prefix: string | undefined, base: string, declared: Declared): Layer | undefined {
  const custom = declared.get(base)
  if (prefix === 'builtin') return findBuiltin(base)
  if (prefix === 'provider') return custom && { name: base, builtin: false, spec: custom }
  if (prefix !== undefined) return undefined
  return custom && base !== self ? { name: base, builtin: false, spec: custom } : findBuiltin(base)
}

/** What the child says wins; maps merge by key, appended arguments add up. */
function merge(base: ProviderConfig, child: ProviderConfig): ProviderConfig {
  const merged = { ...base, ...said(child) }
  const schema = mergeOptions(base.optionsSchema ?? [], child)
  const kept = (key: string) => !child.optionsSchema?.some((option) => option.omit && option.key === key)
  const defaults = { ...base.optionDefaults, ...child.optionDefaults }
  return {
    ...merged,
    argsAppend: [...(base.argsAppend ?? []), ...(child.argsAppend ?? [])],
    env: { ...base.env, ...child.env },
    optionDefaults: Object.fromEntries(Object.entries(defaults).filter(([key]) => kept(key))),
    optionsSchema: schema,
  }
}

/** The keys a layer gives a value: an empty string says nothing, an empty list says "none". */
const said = (spec: ProviderConfig): ProviderConfig =>
  Object.fromEntries(Object.entries(spec).filter(([, value]) => value !== undefined && value !== ''))

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
