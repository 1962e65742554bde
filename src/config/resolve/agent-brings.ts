import { basename, dirname, join, resolve } from 'node:path'
import type { AgentBrings } from '../city-config.ts'
import type { AgentFields } from '../declare/agent.ts'
import type { Declaration } from '../declare/declaration.ts'
import type { AgentScope } from './agent-scope.ts'

/** What the packs of an agent bring into the folders that it works in. */
export function resolveBrings(declaration: Declaration<AgentFields>, scope: AgentScope): AgentBrings {
  const { dir, overlayDir, installAgentHooks } = declaration.values
  const { path } = scope.files.city
  const own = agentFolder(declaration, path)
  const packs = scope.packsAround.rig(dir)
  const inOwn = (name: string) => (own === undefined ? [] : [join(own, name)])
  return {
    overlays: [...packs.overlays, ...(overlayDir === undefined ? inOwn('overlay') : [resolve(path, overlayDir)])],
    hooks: [...new Set([...scope.workspace.installAgentHooks, ...(installAgentHooks ?? [])])],
    skills: [...inOwn('skills').map((folder) => ({ folder, prefix: '' })), ...packs.skills],
    mcp: [...packs.mcp, ...inOwn('mcp')],
  }
}

/** The folder that declares an agent, if it has one of its own. */
function agentFolder({ block }: Declaration<AgentFields>, city: string): string | undefined {
  return basename(block.file) === 'agent.toml' ? dirname(resolve(city, block.file)) : undefined
}
