import { basename, dirname, join, resolve } from 'node:path'
import type { AgentBrings, PackConfig, SkillFolder } from '../city-config.ts'
import type { AgentFields } from '../declare/agent.ts'
import type { Declaration } from '../declare/declaration.ts'
import type { AgentScope } from './agent-scope.ts'

/** What the packs of an agent bring into the folders that it works in. */
export function resolveBrings(declaration: Declaration<AgentFields>, scope: AgentScope): AgentBrings {
  const { dir, overlayDir, installAgentHooks } = declaration.values
  const { path } = scope.files.city
  const own = agentFolder(declaration, path)
  const packs = packsAround(scope.packs, path, dir)
  const inPacks = (name: string) => packs.map(({ folder }) => join(folder, name))
  const inOwn = (name: string) => (own === undefined ? [] : [join(own, name)])
  return {
    overlays: [...inPacks('overlay'), ...(overlayDir === undefined ? inOwn('overlay') : [resolve(path, overlayDir)])],
    hooks: [...new Set([...scope.workspace.installAgentHooks, ...(installAgentHooks ?? [])])],
    skills: [...inOwn('skills').map((folder) => ({ folder, prefix: '' })), ...skillsOf(packs, path)],
    mcp: [...inPacks('mcp'), ...inOwn('mcp')],
  }
}

/** The packs of the city, the city itself, and the packs of a rig, in this order. */
export function packsAround(
  packs: readonly PackConfig[],
  city: string,
  rig: string | undefined,
): readonly Pick<PackConfig, 'folder' | 'binding'>[] {
  const imported = packs.filter((pack) => pack.rig === undefined && pack.folder !== city)
  const ofRig = rig === undefined ? [] : packs.filter((pack) => pack.rig === rig)
  const all = [...imported, { folder: city }, ...ofRig]
  return all.filter(({ folder }, index) => all.findLastIndex((other) => other.folder === folder) === index)
}

/** The city's own skills come first, and those of imported packs are known by the binding. */
function skillsOf(packs: readonly Pick<PackConfig, 'folder' | 'binding'>[], city: string): SkillFolder[] {
  const folders = packs.map(({ folder, binding }) => ({
    folder: join(folder, 'skills'),
    prefix: binding === undefined ? '' : `${binding}.`,
    isCity: folder === city,
  }))
  const ordered = [...folders.filter(({ isCity }) => isCity), ...folders.filter(({ isCity }) => !isCity)]
  return ordered.map(({ folder, prefix }) => ({ folder, prefix }))
}

/** The folder that declares an agent, if it has one of its own. */
function agentFolder({ block }: Declaration<AgentFields>, city: string): string | undefined {
  return basename(block.file) === 'agent.toml' ? dirname(resolve(city, block.file)) : undefined
}
