import { join } from 'node:path'
import type { CityConfig } from '../../config/city/index.ts'
import { AppError } from '../../core/errors.ts'

/** The city, or one of its rigs. */
export interface FormulaScope {
  readonly kind: 'city' | 'rig'
  readonly ref: string
}

/** The scope that a request must name. */
export function requireScope(
  { name, rigs }: Pick<CityConfig, 'name' | 'rigs'>,
  { scope_kind: kind, scope_ref: ref }: { scope_kind?: string; scope_ref?: string },
): FormulaScope {
  if (!kind && !ref) throw new AppError('invalid-request', 'scope_kind and scope_ref are required')
  if (!kind || !ref) throw new AppError('invalid-request', 'scope_kind and scope_ref must be provided together')
  if (kind !== 'city' && kind !== 'rig') throw new AppError('invalid-request', "scope_kind must be 'city' or 'rig'")
  const exists = kind === 'city' ? ref === name : rigs.some((rig) => rig.name === ref)
  if (!exists) throw new AppError('scope-not-found', `${kind} scope ${ref} not found`)
  return { kind, ref }
}

/** The formula folders of a scope, the highest layer last. */
export function formulaFolders(
  { path, packs, rigs }: Pick<CityConfig, 'path' | 'packs' | 'rigs'>,
  rig?: string,
): string[] {
  const cityPacks = packs.filter((pack) => pack.rig === undefined && pack.folder !== path)
  const rigPacks = packs.filter((pack) => pack.rig !== undefined && pack.rig === rig)
  const own = rigs.find(({ name }) => name === rig)?.formulasDir
  const folders = [...cityPacks.map(({ folder }) => folder), path, ...rigPacks.map(({ folder }) => folder)]
  return [...new Set([...folders.map((folder) => join(folder, 'formulas')), ...(own === undefined ? [] : [own])])]
}

/** The rig of a scope; undefined for that of a city, which shows what its rigs have as well. */
export const ofRig = (scope: FormulaScope): FormulaScope | undefined => (scope.kind === 'rig' ? scope : undefined)
