import { AppError } from '../../core/errors.ts'
import { removeBlock, setKey, type TomlValue } from '../../core/toml/index.ts'
import type { FileSnapshot } from '../files/index.ts'
import type { DeclaredBlock } from './origin.ts'

/** Files to edit, with the declarations in them that the edit looks at, and what they resolve to. */
export interface EditBase<Declarations, Config> {
  readonly files: FileSnapshot
  readonly declarations: Declarations
  readonly config: Config
}

/** New values by key; a key without a value is left unchanged. */
export type KeyChanges = Readonly<Record<string, TomlValue | undefined>>

export const textOf = (files: FileSnapshot, file: string): string => files.city.text(file) ?? ''

/** Refuses to edit what a layer declares whose files gc does not write. */
export function requireEditable({ layer, file }: DeclaredBlock, subject: string): void {
  if (layer.isEditable) return
  const message = `conflict: ${subject} is declared in ${file}, which does not belong to this city; change it there`
  throw new AppError('conflict-wrong-state', message)
}

/** A file's text with new values in the block that a declaration came from. */
export function changeBlock(text: string, { file, offset }: DeclaredBlock, changes: KeyChanges): string {
  let changed = text
  for (const [key, value] of Object.entries(changes)) {
    if (value === undefined) continue
    changed = setKey(changed, offset ?? 'top', key, value) ?? requireByHand(file, key)
  }
  return changed
}

/** A file's text without these of its blocks. The last one goes first, so that the offsets of the others hold. */
export function cutBlocks(text: string, blocks: readonly DeclaredBlock[]): string {
  const lastFirst = blocks.toSorted((a, b) => (b.offset ?? 0) - (a.offset ?? 0))
  return lastFirst.reduce((rest, { file, section, offset }) => {
    const cut = offset === undefined ? undefined : removeBlock(rest, offset)
    return cut ?? requireByHand(file, section.replace(/^\[+|\]+$/g, ''))
  }, text)
}

function requireByHand(file: string, subject: string): never {
  const message = `${file} does not write ${subject} as a [[block]]; change it there by hand`
  throw new AppError('conflict-wrong-state', message)
}
