import type { AgentConfig, RigConfig, SessionSleepConfig, WorkspaceConfig } from '../city-config.ts'
import type { AgentFields } from '../declare/agent.ts'
import type { Declaration } from '../declare/declaration.ts'
import type { LayerContext } from '../layers/layer.ts'
import type { ProviderConfig } from '../providers/provider.ts'
import type { FragmentFolders } from './fragment-folders.ts'
import type { PacksAround } from './pack-surroundings.ts'

/** What of the rest of the configuration agents are resolved against. */
export interface AgentScope extends LayerContext {
  readonly workspace: WorkspaceConfig
  readonly rigs: readonly RigConfig[]
  readonly providers: ReadonlyMap<string, ProviderConfig>
  readonly sleep: SessionSleepConfig
  readonly fragments: FragmentFolders
  readonly packsAround: PacksAround
  /** Whether the city has a pack.toml. */
  readonly isPack: boolean
}

export interface ResolvedAgent {
  readonly config: AgentConfig
  readonly declaration: Declaration<AgentFields>
}
