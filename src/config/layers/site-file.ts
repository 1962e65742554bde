import { declareFields } from '../declare/declaration.ts'
import { openFile } from '../declare/open-file.ts'
import { RIG_BINDING, SITE } from '../declare/site.ts'
import { SITE_FILE } from '../files/file-names.ts'
import type { Layer } from './layer.ts'
import { mergeDeclarations } from './merge.ts'

/** What `.gc/site.toml` says of this machine: the city's name here, and where its rigs lie. */
export const siteFile: Layer = {
  name: 'site',
  isEditable: true,
  apply(lower, { files: { city }, diagnostics }) {
    const reader = openFile({
      ...{ layer: siteFile, diagnostics, file: SITE_FILE, toml: city.toml(SITE_FILE) },
      ...{ unknownKeys: 'warning', kind: 'site' },
    })
    const site = declareFields(reader, SITE)
    const rigBindings = reader.blocks('rig').map((block) => declareFields(block, RIG_BINDING))
    reader.finish()
    return mergeDeclarations(lower, { site, rigBindings })
  },
}
