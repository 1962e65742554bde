import { join } from 'node:path'
import type { RootSnapshot } from '../../files/index.ts'
import { PACK_FILE } from './locate.ts'

/** Where other programs unpack what they bring themselves. */
const UNPACKED = '.gc/system/packs/'
const NAME = /^[\w-]+$/

const UNPACKED_SENTENCE =
  'is a pack that another program unpacked: import it by its address in [imports]; nothing of it is part of this city'
const NAMED_SENTENCE =
  'is neither a folder with a pack.toml nor the address of a pack, and names in [packs] are not read: import the pack in [imports]; nothing of it is part of this city'

/** Whether a source lies where other programs unpack what they bring. */
export const isUnpacked = (source: string): boolean => source.startsWith(UNPACKED)

/** Why nothing is read of a source in `includes`; undefined when it is to be loaded. */
export function whyUnread(source: string, city: RootSnapshot): string | undefined {
  if (isUnpacked(source)) return UNPACKED_SENTENCE
  const isNamed = NAME.test(source) && city.text(join(source, PACK_FILE)) === undefined
  return isNamed ? NAMED_SENTENCE : undefined
}
