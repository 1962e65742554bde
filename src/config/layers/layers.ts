import { agentDefaults } from './agent-defaults.ts'
import { agentFolders } from './agent-folders.ts'
import { cityFile } from './city-file.ts'
import { implicitAgents } from './implicit-agents.ts'
import { imports } from './imports.ts'
import type { Layer } from './layer.ts'
import { packFile } from './pack-file.ts'
import { packGlobals } from './pack-globals.ts'
import { packRequirements } from './pack-requirements.ts'
import { patches } from './patches.ts'
import { presets } from './presets.ts'
import { rigPatches } from './rig-patches.ts'
import { siteFile } from './site-file.ts'
import { workspaceDefaults } from './workspace-defaults.ts'

/**
 * The steps of composing a city's configuration. First what the city's own files declare, each over the ones before;
 * then what they import, which stands under all of it; then what changes agents, in its order; the defaults at the end
 * only fill what is still open. A new step is a file beside this one and a line in this list.
 */
export const LAYERS: readonly Layer[] = [
  presets,
  packFile,
  agentFolders,
  cityFile,
  siteFile,
  imports,
  patches,
  rigPatches,
  packGlobals,
  packRequirements,
  implicitAgents,
  agentDefaults,
  workspaceDefaults,
]
