import { AGENT } from '../../../src/config/declare/agent.ts'
import type { AppliedPatch } from '../../../src/config/declare/city-declarations.ts'
import { declareFields } from '../../../src/config/declare/declaration.ts'
import type { Layer } from '../../../src/config/layers/layer.ts'
import { LAYERS } from '../../../src/config/layers/layers.ts'
import { mergeDeclarations } from '../../../src/config/layers/merge.ts'
import { openFile } from '../../../src/config/layers/read-file.ts'

/** A layer that declares the agents of a file in another folder, as an imported pack would. */
export const importedAgents = (folder: string): Layer => {
  const layer: Layer = {
    name: 'pack',
    isEditable: false,
    apply(lower, { files, diagnostics }) {
      const text = files.root(folder).text('pack.toml')
      const file = `${folder}/pack.toml`
      const reader = openFile({ layer, diagnostics, file, text, unknownKeys: 'warning', kind: 'pack' })
      return mergeDeclarations(lower, { agents: reader.blocks('agent').map((block) => declareFields(block, AGENT)) })
    },
  }
  return layer
}

/** A layer that suspends an agent, as a patch would. */
export const suspendsAgent = (name: string): Layer => {
  const layer: Layer = {
    name: 'patches',
    isEditable: false,
    apply(lower) {
      const block = { layer, file: 'city.toml', line: 1, section: '[[patches.agent]]', offset: undefined }
      const origin = { block, line: 1, key: 'suspended' }
      const patch: AppliedPatch = { target: 'agent', origin }
      const agents = lower.agents.map((agent) =>
        agent.values.name === name
          ? {
              ...agent,
              values: { ...agent.values, suspended: true },
              origins: { ...agent.origins, suspended: origin },
            }
          : agent,
      )
      return { ...lower, agents, patches: [...lower.patches, patch] }
    },
  }
  return layer
}

/** The usual layers with one more at the bottom. */
export const withLowest = (layer: Layer): readonly Layer[] => [layer, ...LAYERS]
