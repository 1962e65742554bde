import { AppError } from '../../core/errors.ts'
import {
  addSubBlock,
  type ChildTable,
  childTable,
  removeChildren,
  setInlineKey,
  setKey,
  type TomlValue,
} from '../../core/toml/index.ts'
import { requireEditable, textOf } from '../declare/index.ts'
import type { Drafts } from '../files/index.ts'
import { findRig, type RigBase } from './edit.ts'

/** New values of `[rigs.land]` by key; null removes a key. */
export type LandChanges = Readonly<Record<string, TomlValue | null>>

/** Changes how the branches of a rig land; the first change writes the table. */
export function changeLand(base: RigBase, name: string, changes: LandChanges): Drafts {
  const { block, landTable } = findRig(base, name)
  requireEditable(block, `rig "${name}"`)
  const { file, offset } = block
  const text = textOf(base.files, file)
  const isDotted =
    landTable?.block.section === '[rigs.land]' && offset !== undefined && !childTable(text, offset, 'land')
  const changed = offset === undefined || isDotted ? undefined : changeTable(text, offset, changes)
  if (changed !== undefined) return new Map([[file, changed]])
  const message = `${file} does not write land of rig "${name}" as [rigs.land] or land = { … }; change it there by hand`
  throw new AppError('conflict-wrong-state', message)
}

/** The text with a changed table; undefined if it is written in another way, such as with dotted keys. */
function changeTable(text: string, rig: number, changes: LandChanges): string | undefined {
  const table = childTable(text, rig, 'land')
  if (!table) {
    const pairs = Object.entries(changes).map(([key, value]): [string, TomlValue | undefined] => [
      key,
      value ?? undefined,
    ])
    return addSubBlock(text, rig, '[rigs.land]', pairs)
  }
  return Object.entries(changes).reduce<string | undefined>(
    (current, [key, value]) => current && changeKey(current, rig, key, value ?? undefined),
    text,
  )
}

/** A table or an array of tables below `land` that has blocks of its own gives way to a value of one key. */
function changeKey(text: string, rig: number, key: string, value: TomlValue | undefined): string | undefined {
  const table = childTable(text, rig, 'land')
  if (table?.offset === undefined) return undefined
  if (table.kind === 'inline') return setInlineKey(text, table.offset, key, value)
  const child: ChildTable | undefined = childTable(text, table.offset, key)
  const rest = child && child.kind !== 'inline' ? removeChildren(text, table.offset, key) : text
  return setKey(rest, table.offset, key, value)
}
