import type { Layer } from './layer.ts'

const PACK_FILE = 'pack.toml'

/** The city's own pack, which is not read yet: it declares nothing, and a warning says so. */
export const packFile: Layer = {
  name: 'pack',
  isEditable: false,
  apply(lower, { files: { city }, diagnostics }) {
    if (city.text(PACK_FILE) !== undefined) {
      const message = 'packs are not read yet: nothing in this file is in force, also no patch and no limit'
      diagnostics.warning({ file: PACK_FILE, line: 1, key: '' }, message)
    }
    return lower
  },
}
