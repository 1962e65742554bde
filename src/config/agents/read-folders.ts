import { join } from 'node:path'
import {
  type Declaration,
  declareFields,
  type LayerInfo,
  openFile,
  type PackReference,
  type SectionReader,
  withValue,
} from '../declare/index.ts'
import type { Diagnostics, RootSnapshot } from '../files/index.ts'
import { AGENT, type AgentFields, FOLDER_AGENT } from './agent.ts'
import { type AgentFolder, listAgentFolders } from './folders.ts'

/** A folder whose `agents/` are declared. */
export interface AgentsRoot {
  readonly layer: LayerInfo
  readonly root: RootSnapshot
  /** Base of the file names in it: relative to the city, or absolute. */
  readonly base: string
  /** True if there is a pack.toml in it. */
  readonly isPack: boolean
  /** The pack, if it is not the city's own. */
  readonly pack?: PackReference
  readonly diagnostics: Diagnostics
}

/** The agents that are declared by a folder of their own in `agents/`. */
export const declareAgentFolders = (root: AgentsRoot): Declaration<AgentFields>[] =>
  listAgentFolders(root.root, { ofPack: root.isPack }).map((folder) => declareAgent(folder, root))

function declareAgent(folder: AgentFolder, from: AgentsRoot): Declaration<AgentFields> {
  const { layer, root, base, pack, diagnostics } = from
  const reader = openFile({
    ...{ layer, diagnostics, file: join(base, folder.file), toml: root.toml(folder.file) },
    ...{ unknownKeys: 'lint', kind: 'agent', base: pathsOf(folder, from), pack },
  })
  const declared = { ...declareFields(reader, FOLDER_AGENT), fields: AGENT }
  const name = pack ? folder.folder : folder.nameIn(declared.values.dir)
  const written = reader.string('name')
  if (written !== undefined && written !== name) reader.warning('name', `has no effect: its folder names it "${name}"`)
  reader.finish()
  const named: Declaration<AgentFields> = withValue<AgentFields, 'name'>(declared, 'name', name, {
    ...{ block: reader.block, line: reader.block.line, key: 'name' },
  })
  return withConventions(named, folder, reader, from)
}

/** Paths in a pack are relative to the pack; those of a city without one, to the agent's folder. */
const pathsOf = ({ folder }: AgentFolder, { base, isPack }: AgentsRoot): string =>
  isPack ? base : join(base, 'agents', folder)

/** The files that an agent has by their names when its agent.toml says nothing of them. */
function withConventions(
  agent: Declaration<AgentFields>,
  { folder, promptFile }: AgentFolder,
  { block }: SectionReader,
  { root, base, isPack }: AgentsRoot,
): Declaration<AgentFields> {
  const at = (key: string) => ({ block, line: 1, key })
  const { promptFile: declared, namepool } = agent.values
  const prompted =
    declared === undefined && promptFile !== undefined
      ? withValue(agent, 'promptFile', join(base, promptFile), at('prompt_template'))
      : agent
  const names = `agents/${folder}/namepool.txt`
  if (!isPack || namepool !== undefined || root.text(names) === undefined) return prompted
  return withValue(prompted, 'namepool', { file: join(base, names) }, at('namepool'))
}
