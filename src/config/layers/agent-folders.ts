import { withoutAgents } from '../declare/hide.ts'
import { withAgentDefaults } from '../declare/with-agent-defaults.ts'
import { declareAgentFolders } from '../packs/agent-folders.ts'
import type { Layer } from './layer.ts'

/** The agents that the city declares by a folder of their own in `agents/`. */
export const agentFolders: Layer = {
  name: 'agents',
  isEditable: true,
  apply(lower, { files: { city }, diagnostics }) {
    const { pack, agents: inline } = lower
    const root = { layer: agentFolders, root: city, base: '', isPack: pack !== undefined, diagnostics }
    const folders = withoutAgents(declareAgentFolders(root), pack ? inline : [])
    return { ...lower, agents: withAgentDefaults([...inline, ...folders], pack?.agentDefaults) }
  },
}
