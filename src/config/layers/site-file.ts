import { declareFields } from '../declare/declaration.ts'
import { RIG_BINDING, SITE } from '../declare/site.ts'
import { SITE_FILE } from '../files/file-names.ts'
import type { Layer } from './layer.ts'
import { mergeDeclarations } from './merge.ts'
import { openFile } from './read-file.ts'

/** What `.gc/site.toml` says of this machine: the city's name here, and where its rigs lie. */
export const siteFile: Layer = {
  name: 'site',
  isEditable: true,
  apply(lower, { files: { city }, diagnostics }) {
    const text = city.text(SITE_FILE)
    const reader = openFile({
      ...{ layer: siteFile, diagnostics, file: SITE_FILE, text },
      ...{ unknownKeys: 'warning', kind: 'site' },
    })
    const site = declareFields(reader, SITE)
    const rigBindings = reader.blocks('rig').map((block) => declareFields(block, RIG_BINDING))
    reader.finish()
    return mergeDeclarations(lower, { site, rigBindings })
  },
}
