import { AGENT } from '../../../../src/config/agents/agent.ts'
import type { Layer } from '../../../../src/config/compose/layers/layer.ts'
import { LAYERS } from '../../../../src/config/compose/layers/layers.ts'
import { mergeDeclarations } from '../../../../src/config/compose/layers/merge.ts'
import { declareFields } from '../../../../src/config/declare/declaration.ts'
import { openFile } from '../../../../src/config/declare/open-file.ts'

/** A layer that declares the agents of a file in another folder, as an imported pack would. */
export const importedAgents = (folder: string): Layer => {
  const layer: Layer = {
    name: 'pack',
    isEditable: false,
    apply(lower, { files, diagnostics }) {
      const toml = files.root(folder).toml('pack.toml')
      const file = `${folder}/pack.toml`
      const reader = openFile({ layer, diagnostics, file, toml, unknownKeys: 'warning', kind: 'pack' })
      return mergeDeclarations(lower, { agents: reader.blocks('agent').map((block) => declareFields(block, AGENT)) })
    },
  }
  return layer
}

/** The usual layers with one more at the bottom. */
export const withLowest = (layer: Layer): readonly Layer[] => [layer, ...LAYERS]
