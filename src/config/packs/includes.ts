import { join } from 'node:path'
import type { RootSnapshot } from '../files/index.ts'
import { BUILTIN_PACKS, builtinSource } from './builtin-packs.ts'
import { PACK_FILE } from './locate.ts'

/** Folders into which other programs unpack their own packs. */
const UNPACKED = '.gc/system/packs/'
const NAME = /^[\w-]+$/

const UNPACKED_SENTENCE =
  'is a pack that another program unpacked, and is not loaded: import it by its address in [imports]'
const STORAGE_SENTENCE = 'keeps beads in another database, which gc does not need: remove it'
const NAMED_SENTENCE =
  'is neither a folder with a pack.toml nor the address of a pack, and is not loaded. Names in [packs] are not read: import the pack in [imports]'

/** True if a source lies where other programs unpack what they bring. */
export const isUnpacked = (source: string): boolean => source.startsWith(UNPACKED)

/** Reason a source in `includes` is not read; undefined if it is loaded. */
export function whyUnread(source: string, city: RootSnapshot): string | undefined {
  if (isUnpacked(source)) return unpackedSentence(source.slice(UNPACKED.length).replace(/\/+$/, ''))
  const isNamed = NAME.test(source) && city.text(join(source, PACK_FILE)) === undefined
  return isNamed ? NAMED_SENTENCE : undefined
}

function unpackedSentence(name: string): string {
  const builtin = BUILTIN_PACKS.find((each) => each === name)
  if (builtin === undefined) return UNPACKED_SENTENCE
  if (builtin !== 'core') return STORAGE_SENTENCE
  const command = `gc import add ${builtinSource(builtin)} --name ${builtin}`
  return `is a copy that another program unpacked, and is not read: take it out and run \`${command}\``
}
