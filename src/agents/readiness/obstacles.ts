import type { AgentConfig } from '../../config/agents/index.ts'
import { effectiveOptions, type Provider, resolveProvider, splitCommand } from '../../config/providers/index.ts'
import type { Inspector } from '../../programs/parts/index.ts'
import { PRESETS } from '../../programs/presets.ts'
import type { Obstacle } from '../../programs/program.ts'

/** An agent, as far as it decides how its program is started. */
export type StartedAgent = Pick<AgentConfig, 'startCommand' | 'session' | 'args' | 'env' | 'optionDefaults'>

/**
 * The obstacle that keeps the program of an agent from reaching gc, or from running gc's own protocol without asking; undefined when
 * nothing does, or when the agent has a command of its own.
 */
export async function protocolObstacle(
  agent: StartedAgent,
  provider: Provider,
  folder: string | undefined,
  inspector: Inspector,
): Promise<Obstacle | undefined> {
  if (agent.startCommand || agent.session === 'acp') return undefined
  const { permission_mode: mode = '' } = effectiveOptions(provider, agent.optionDefaults)
  const command = splitCommand(provider.command)
  const known = Object.entries(inspector.env).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
  const env = { ...Object.fromEntries(known), ...provider.env, ...agent.env }
  const words = [...command, ...provider.args, ...agent.args]
  return PRESETS.get(provider.ancestor ?? provider.name)?.obstacle?.({ inspector, command, words, env, mode, folder })
}

/** The same for a program as gc starts it by default. */
export const presetObstacle = (preset: string, inspector: Inspector): Promise<Obstacle | undefined> =>
  protocolObstacle({ args: [], env: {}, optionDefaults: {} }, resolveProvider(preset, new Map()), undefined, inspector)
