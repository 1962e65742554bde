import { agentDefaults } from './agent-defaults.ts'
import { agentFolders } from './agent-folders.ts'
import { cityFile } from './city-file.ts'
import type { Layer } from './layer.ts'
import { packFile } from './pack-file.ts'
import { presets } from './presets.ts'
import { siteFile } from './site-file.ts'
import { workspaceDefaults } from './workspace-defaults.ts'

/**
 * The layers of a city's configuration, from the lowest to the highest; the last two only fill what is still open.
 * A new layer is a file beside this one and a line in this list.
 */
export const LAYERS: readonly Layer[] = [
  presets,
  packFile,
  agentFolders,
  cityFile,
  siteFile,
  agentDefaults,
  workspaceDefaults,
]
