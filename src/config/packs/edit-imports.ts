import { AppError } from '../../core/errors.ts'
import { addBlock, addSubBlock, removeBlock, setKey, type TomlPairs } from '../../core/toml/index.ts'
import { CITY_FILE, type Drafts, FileSnapshot, type RootSnapshot } from '../files/index.ts'
import { type DeclaredImport, findRigOffset, readCityImports } from './imports.ts'
import { PACK_FILE } from './locate.ts'

/** An import to be written; for every rig, or for one, when it is not the city's own. */
export interface ImportDraft {
  readonly binding: string
  readonly source: string
  readonly version?: string
  readonly rig?: string
}

const BINDING = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const RESERVED = 'default-rig:'

/** The city's files with one more import in them. */
export function addImport(city: RootSnapshot, { binding, source, version, rig }: ImportDraft): Drafts {
  const pairs: TomlPairs = [
    ['source', source],
    ['version', version],
  ]
  if (rig === undefined) {
    // Without a pack of its own a city declares its imports in city.toml.
    const file = city.text(PACK_FILE) === undefined ? CITY_FILE : PACK_FILE
    return new Map([[file, addBlock(city.text(file) ?? '', `[imports.${binding}]`, pairs)]])
  }
  const text = city.text(CITY_FILE) ?? ''
  const block = findRigOffset(city, rig)
  const added = block === undefined ? undefined : addSubBlock(text, block, `[rigs.imports.${binding}]`, pairs)
  if (added === undefined) {
    throw new AppError('rig-not-found', `city.toml has no [[rigs]] block named "${rig}"; add the rig first`)
  }
  return new Map([[CITY_FILE, added]])
}

/** Requires a valid and unused name of an import. */
export function requireFreeBinding(imports: readonly DeclaredImport[], { binding, rig }: ImportDraft): void {
  if (binding.startsWith(RESERVED)) {
    throw new AppError(
      'invalid-request',
      `import name "${binding}" uses reserved prefix "${RESERVED}"; give another name`,
    )
  }
  if (!BINDING.test(binding)) {
    throw new AppError(
      'invalid-request',
      `"${binding}" cannot name an import: use letters, digits, "-" and "_"; give another name`,
    )
  }
  const isTaken = imports.some(
    (each) => each.binding === binding && (rig === undefined ? isCitys(each) : isRigs(each, rig)),
  )
  if (isTaken) throw new AppError('conflict-wrong-state', `conflict: import "${binding}" already exists`)
}

export const isCitys = ({ owner }: DeclaredImport): boolean => owner.kind === 'city' || owner.kind === 'pack'

const isRigs = ({ owner }: DeclaredImport, rig: string): boolean => owner.kind === 'rig' && owner.rig === rig

/**
 * The import that a name means: city.toml's before that of pack.toml, which it overrides, and then one for new rigs.
 */
export function findImport(imports: readonly DeclaredImport[], binding: string, rig?: string): DeclaredImport {
  const named = imports.filter((each) => each.binding === binding)
  const isOf = (kind: string) => (each: DeclaredImport) => each.owner.kind === kind
  const declared =
    rig === undefined
      ? (named.find(isOf('city')) ?? named.find(isOf('pack')) ?? named.find(isOf('default-rig')))
      : named.find((each) => isRigs(each, rig))
  if (!declared) throw new AppError('pack-not-found', `there is no import "${binding}"`)
  return declared
}

/** The file of an import without it. */
export function removeImport(city: RootSnapshot, { binding, file, offset, parent }: DeclaredImport): Drafts {
  const text = city.text(file) ?? ''
  const removed =
    (offset === undefined ? undefined : removeBlock(text, offset)) ??
    (parent === undefined ? undefined : setKey(text, parent, binding, undefined))
  if (removed === undefined || stillDeclares(city, file, removed, binding, text)) {
    const message = `${file} does not write import "${binding}" as a block; remove it there by hand`
    throw new AppError('conflict-wrong-state', message)
  }
  return new Map([[file, removed]])
}

/** True if a text still holds as many imports of this name as before. */
function stillDeclares(city: RootSnapshot, file: string, text: string, binding: string, before: string): boolean {
  const count = (content: string) =>
    readCityImports(new FileSnapshot(city.path, new Map([[file, content]])).city).filter(
      (each) => each.binding === binding && each.file === file,
    ).length
  return count(text) >= count(before)
}
