import { lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { touch } from '../../core/folders.ts'
import { BUILTINS } from '../../programs/presets.ts'
import type { PackConfig, RigConfig } from '../city/index.ts'

/** Where the agents of a city have folders of their own. */
export const agentFolders = (city: string): string => join(city, '.gc', 'agents')

/** Where a city has the worktrees of its sessions, by their rigs. */
export const worktreeFolders = (city: string): string => join(city, '.gc', 'worktrees')

/** The folder of its own in which a confined agent works that has neither a rig nor a `work_dir`. */
export const agentFolder = (city: string, name: string): string => join(agentFolders(city), name)

/** What a city or a pack keeps for its agents to read; no other entry of its folder is theirs, since it could hold keys. */
const READABLE = [
  ...['formulas', 'orders', 'prompts', 'template-fragments', 'skills', 'assets', 'commands', 'schemas'],
  ...['scripts', 'docs'],
  ...['README.md', 'AGENTS.md'],
  ...[...BUILTINS.values()].flatMap(({ instructionsFile }) => instructionsFile ?? []),
]

/** How deep packs lie in packs, and how many of them count that lie in one folder. */
const [MAX_DEPTH, MAX_PACKS] = [3, 200]

/** Whose sessions read it: what their pack is in, or the city, and the folders that their program finds links to. */
interface Reader {
  readonly dir?: string
  readonly configDir: string
  readonly linked: readonly string[]
  /** Folders of the MCP servers that their program starts. */
  readonly mcp?: readonly string[]
}

interface City {
  readonly path: string
  readonly rigs: readonly Pick<RigConfig, 'path'>[]
  /** The packs that it is made of, whose commands sessions run. */
  readonly packs: readonly Pick<PackConfig, 'folder'>[]
}

/** What packs have for somebody to read, and for who works for the whole city what the city has: as far as it is there. */
export function readableEntries({ dir, configDir, linked, mcp = [] }: Reader, { rigs, path, packs }: City): string[] {
  const ofPacks = packs.map(({ folder }) => folder).filter((folder) => folder !== path)
  const folders = [...new Set([configDir, ...ofPacks, ...(dir === undefined ? [path] : [])])]
  const isOfRig = (entry: string) => rigs.some((rig) => rig.path !== undefined && touch(rig.path, entry))
  const entries = folders.flatMap((folder) => [folder, ...packsIn(folder)]).flatMap(entriesOf)
  return [
    ...entries.filter((entry) => isPlain(entry) && !isOfRig(entry)),
    ...linked.filter((folder) => isPlain(folder) && isPlain(dirname(folder))),
    ...mcp.flatMap(programsIn),
  ]
}

/** The programs beside declarations of MCP servers. The declarations are left out, since they could hold keys. */
function programsIn(folder: string): string[] {
  if (!isPlain(folder) || !isPlain(dirname(folder)) || !statSync(folder).isDirectory()) return []
  const names = readdirSync(folder).filter((name) => !name.startsWith('.') && !name.endsWith('.toml'))
  return names.map((name) => join(folder, name)).filter(isPlain)
}

const entriesOf = (folder: string): string[] => READABLE.map((name) => join(folder, name))

/** The packs that lie in the folder for them of a city or a pack, and those in theirs. */
function packsIn(folder: string, depth = 0): string[] {
  const packs = join(folder, 'packs')
  if (depth === MAX_DEPTH || !isPlain(packs) || !statSync(packs).isDirectory()) return []
  const own = readdirSync(packs, { withFileTypes: true }).filter(
    (entry) => entry.isDirectory() && !entry.name.startsWith('.'),
  )
  const found = own.map(({ name }) => join(packs, name)).slice(0, MAX_PACKS)
  return found.flatMap((pack) => [pack, ...packsIn(pack, depth + 1)])
}

/** Whether something is there that is no link. */
export const isPlain = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false
