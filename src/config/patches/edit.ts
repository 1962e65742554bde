import { AppError } from '../../core/errors.ts'
import { addBlock, type TomlPairs } from '../../core/toml/index.ts'
import type { CityDeclarations, PatchDeclarations } from '../city/index.ts'
import { cutBlocks, type DeclaredBlock, type EditBase, qualify, textOf } from '../declare/index.ts'
import { CITY_FILE, type Drafts } from '../files/index.ts'

/** Files with the patches of a city. */
type PatchBase = EditBase<CityDeclarations, unknown>

/** The kinds of patches that are kept over the API, by their section of `[patches]`. */
export type PatchKind = 'agent' | 'rigs' | 'providers'

/** Target of a patch. */
export interface PatchTarget {
  readonly kind: PatchKind
  /** With its rig: `shop/worker`. */
  readonly name: string
}

export interface PatchDraft extends PatchTarget {
  readonly pairs: TomlPairs
}

/** Marker in the header of a block that gc wrote and may replace. */
const BY_GC = '# put over the API'

const LISTS = { agent: 'agents', rigs: 'rigs', providers: 'providers' } satisfies Record<
  PatchKind,
  keyof PatchDeclarations
>

/** The blocks of all patches for one thing, in their order. */
export function patchesFor({ patches }: CityDeclarations, { kind, name }: PatchTarget) {
  return patches[LISTS[kind]].filter(({ values }) => {
    const dir = 'dir' in values ? values.dir : undefined
    return qualify(dir, values.name ?? '') === name
  })
}

/** Puts a patch in place of the one for the same thing. A person's is replaced only with `force`. */
export function putPatch(base: PatchBase, { pairs, ...target }: PatchDraft, force: boolean): Drafts {
  const blocks = inCityFile(base, target)
  const city = textOf(base.files, CITY_FILE)
  if (!force) requireOwn(city, blocks, target)
  const header = `[[patches.${target.kind}]] ${BY_GC}`
  return new Map([[CITY_FILE, addBlock(cutBlocks(city, blocks), header, pairs)]])
}

/** Takes the patch for a thing away. */
export function removePatch(base: PatchBase, target: PatchTarget, force: boolean): Drafts {
  const blocks = inCityFile(base, target)
  const city = textOf(base.files, CITY_FILE)
  const [elsewhere] = patchesFor(base.declarations, target)
  if (blocks.length === 0 && !elsewhere) throw patchNotFound(target)
  if (blocks.length === 0 && elsewhere) {
    const message = `conflict: the patch of ${target.name} is declared in ${elsewhere.block.file}; take it out there`
    throw new AppError('conflict-wrong-state', message)
  }
  if (!force) requireOwn(city, blocks, target)
  return new Map([[CITY_FILE, cutBlocks(city, blocks)]])
}

export const patchNotFound = ({ kind, name }: PatchTarget): AppError =>
  new AppError('patch-not-found', `${kind.replace(/s$/, '')} patch ${name} not found`)

const inCityFile = ({ declarations }: PatchBase, target: PatchTarget): DeclaredBlock[] =>
  patchesFor(declarations, target).flatMap(({ block }) => (block.file === CITY_FILE ? [block] : []))

function requireOwn(city: string, blocks: readonly DeclaredBlock[], { name }: PatchTarget): void {
  const lines = city.split('\n')
  const person = blocks.find(({ line }) => !lines[line - 1]?.includes(BY_GC))
  if (!person) return
  const message = `conflict: ${person.file}:${person.line} has a patch of ${name} that a person wrote; change it there, or send X-GC-Force: 1 to replace it`
  throw new AppError('conflict-wrong-state', message)
}
