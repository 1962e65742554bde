import { addBlock, setInlineKey } from '../../../core/toml/edit.ts'
import { CITY_FILE } from '../../files/file-names.ts'
import type { Drafts } from '../../files/file-snapshot.ts'
import { changeBlock, type EditBase, requireEditable, textOf } from './blocks.ts'

const KEY = 'share_login'

/** Says whether confined sessions of a provider may read the log-in of its program. */
export function shareLogin(base: EditBase, provider: string, isShared: boolean): Drafts {
  const table = base.declarations.providers.get(provider)?.values.confine
  const block = table?.origins.shareLogin?.block ?? table?.block
  if (!block) {
    const header = `[providers.${provider}.confine]`
    return new Map([[CITY_FILE, addBlock(textOf(base.files, CITY_FILE), header, [[KEY, isShared]])]])
  }
  requireEditable(block, `how provider "${provider}" is confined`)
  const text = textOf(base.files, block.file)
  const inline = block.offset === undefined ? undefined : setInlineKey(text, block.offset, KEY, isShared)
  return new Map([[block.file, inline ?? changeBlock(text, block, { [KEY]: isShared })]])
}
