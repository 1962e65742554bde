import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PRESETS } from '../../../programs/presets.ts'
import type { AgentConfig } from '../../agents/index.ts'
import type { CityConfig } from '../../city/index.ts'
import { resolveProvider } from '../../providers/index.ts'

/** The agents whose program asks a person to review the hooks that packs or gc bring, by qualified name. */
export const agentsWithHookReview = (config: CityConfig): string[] =>
  config.agents.filter((agent) => bringsHooks(agent, presetOf(agent, config))).map(({ qualified }) => qualified)

function presetOf({ provider, startCommand }: AgentConfig, { providers }: CityConfig): string | undefined {
  if (provider === undefined || startCommand !== undefined) return undefined
  try {
    return resolveProvider(provider, providers).ancestor ?? provider
  } catch {
    return undefined
  }
}

function bringsHooks({ brings, provider = '' }: AgentConfig, preset = ''): boolean {
  const reviewed = PRESETS.get(preset)?.reviewedHooks
  if (reviewed === undefined) return false
  const tops = ['', join('per-provider', preset), join('per-provider', provider)]
  const files = brings.overlays.flatMap((folder) => tops.map((top) => join(folder, top, reviewed)))
  return brings.hooks.includes(preset) || files.some((file) => existsSync(file))
}
