import { AppError } from '../../core/errors.ts'
import { addBlock, type TomlValue, tableOffset } from '../../core/toml/index.ts'
import { BUILTINS } from '../../programs/presets.ts'
import { changeBlock, cutBlocks, type Declaration, type EditBase, requireEditable, textOf } from '../declare/index.ts'
import { CITY_FILE, type Drafts } from '../files/index.ts'
import type { ProviderConfig } from './config.ts'

/** Files with the providers of a city. */
export type ProviderBase = EditBase<{ readonly providers: ReadonlyMap<string, Declaration<ProviderConfig>> }, unknown>

/** The keys of a provider; tables of strings are merged into what is there. */
export type ProviderKeys = Readonly<Record<string, TomlValue | undefined>>

/** Declares a provider. */
export function addProvider(base: ProviderBase, name: string, keys: ProviderKeys): Drafts {
  if (base.declarations.providers.has(name)) {
    throw new AppError('conflict-wrong-state', `conflict: provider "${name}" already exists`)
  }
  const pairs = Object.entries(keys)
  return new Map([[CITY_FILE, addBlock(textOf(base.files, CITY_FILE), `[providers.${name}]`, pairs)]])
}

/** Changes keys of a provider that the city declares. */
export function changeProvider(base: ProviderBase, name: string, keys: ProviderKeys): Drafts {
  const { block, values } = declared(base, name)
  const text = textOf(base.files, block.file)
  const changed = Object.entries(keys).reduce((current, [key, value]) => {
    if (value === undefined) return current
    if (!isTable(value)) return changeBlock(current, block, { [key]: value })
    const table = tableOffset(current, ['providers', name, key])
    if (table !== undefined) return changeBlock(current, { ...block, offset: table }, value)
    const existing = key === 'env' ? values.env : values.optionDefaults
    return changeBlock(current, block, { [key]: { ...existing, ...value } })
  }, text)
  return new Map([[block.file, changed]])
}

/** Takes the declaration of a provider out; a builtin of that name is as it was before. */
export function removeProvider(base: ProviderBase, name: string): Drafts {
  const { block } = declared(base, name)
  return new Map([[block.file, cutBlocks(textOf(base.files, block.file), [block])]])
}

function declared({ declarations }: ProviderBase, name: string) {
  const declaration = declarations.providers.get(name)
  if (declaration) {
    requireEditable(declaration.block, `provider "${name}"`)
    return declaration
  }
  if (!BUILTINS.has(name)) throw new AppError('provider-not-found', `provider ${name} not found`)
  const message = `conflict: provider "${name}" is built in; declare [providers.${name}] in city.toml, or put a patch of a declared one`
  throw new AppError('conflict-wrong-state', message)
}

const isTable = (value: TomlValue): value is Readonly<Record<string, string>> =>
  typeof value === 'object' && !Array.isArray(value)
