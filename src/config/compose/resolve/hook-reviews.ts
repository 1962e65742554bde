import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { AgentConfig, CityConfig } from '../../city/city-config.ts'
import { resolveProvider } from '../../providers/resolve.ts'

const CODEX = 'codex'
const HOOKS_FILE = '.codex/hooks.json'

/** The agents whose program, Codex, asks a person to review the hooks that packs or gc bring, by qualified name. */
export const agentsWithHookReview = (config: CityConfig): string[] =>
  config.agents.filter((agent) => isCodex(agent, config) && bringsHooks(agent)).map(({ qualified }) => qualified)

function isCodex({ provider, startCommand }: AgentConfig, { providers }: CityConfig): boolean {
  if (provider === undefined || startCommand !== undefined) return false
  try {
    return (resolveProvider(provider, providers).ancestor ?? provider) === CODEX
  } catch {
    return false
  }
}

function bringsHooks({ brings, provider = CODEX }: AgentConfig): boolean {
  const tops = ['', join('per-provider', CODEX), join('per-provider', provider)]
  const files = brings.overlays.flatMap((folder) => tops.map((top) => join(folder, top, HOOKS_FILE)))
  return brings.hooks.includes(CODEX) || files.some((file) => existsSync(file))
}
