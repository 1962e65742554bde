import { readPackFile } from '../packs/pack-file.ts'
import type { Layer } from './layer.ts'
import { mergeDeclarations } from './merge.ts'

/** The city's own pack.toml, which stands under city.toml. */
export const packFile: Layer = {
  name: 'pack',
  isEditable: true,
  apply(lower, context) {
    const file = readPackFile({ layer: packFile, folder: context.files.city.path, isCity: true }, context)
    if (!file) return lower
    const { pack, schema, requirements, globals, agentDefaults, includes, scripts, ...declared } = file
    return mergeDeclarations(lower, {
      ...declared,
      pack: { pack, schema, includes, requirements, globals, agentDefaults, scripts },
    })
  },
}
