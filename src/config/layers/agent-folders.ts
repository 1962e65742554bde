import { AGENT, type AgentFields, FOLDER_AGENT } from '../declare/agent.ts'
import { type AgentFolder, listAgentFolders } from '../declare/agent-folder.ts'
import { type Declaration, declareFields, withValue } from '../declare/declaration.ts'
import type { Layer, LayerContext } from './layer.ts'
import { mergeDeclarations } from './merge.ts'
import { openFile } from './read-file.ts'

/** The agents that are declared by a folder of their own in `agents/`. */
export const agentFolders: Layer = {
  name: 'agents',
  isEditable: true,
  apply(lower, context) {
    const agents = listAgentFolders(context.files.city).map((folder) => declareAgent(folder, context))
    return mergeDeclarations(lower, { agents })
  },
}

function declareAgent(folder: AgentFolder, { diagnostics }: LayerContext): Declaration<AgentFields> {
  const { file, text, promptFile } = folder
  const reader = openFile({ layer: agentFolders, diagnostics, file, text, unknownKeys: 'lint', kind: 'agent' })
  const declared = { ...declareFields(reader, FOLDER_AGENT), fields: AGENT }
  const name = folder.nameIn(declared.values.dir)
  const written = reader.string('name')
  if (written !== undefined && written !== name) reader.warning('name', `has no effect: its folder names it "${name}"`)
  reader.finish()
  const agent: Declaration<AgentFields> = withValue<AgentFields, 'name'>(declared, 'name', name, {
    ...{ block: reader.block, line: reader.block.line, key: 'name' },
  })
  if (agent.values.promptFile !== undefined) return agent
  return withValue(agent, 'promptFile', promptFile, { block: reader.block, line: 1, key: 'prompt_template' })
}
