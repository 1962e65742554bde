import type { AgentConfig } from '../../config/city-config.ts'
import type { Provider } from '../../config/providers/provider.ts'

/** An agent on another provider: what is declared for the options and the command of its own does not apply there. */
export function asStandIn(agent: AgentConfig, provider: Provider): AgentConfig {
  const { session, promptMode: _, promptFlag: __, resumeCommand: ___, ...rest } = agent
  const speaksAcp = provider.supportsAcp || provider.acpCommand !== undefined
  const transport = session === 'acp' && !speaksAcp ? undefined : session
  return { ...rest, ...(transport && { session: transport }), provider: provider.name, args: [], optionDefaults: {} }
}
