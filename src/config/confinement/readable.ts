import { lstatSync, readdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { touch } from '../../core/folders.ts'
import { BUILTINS } from '../../programs/presets.ts'
import type { PackConfig } from '../packs/index.ts'
import type { RigConfig } from '../rigs/index.ts'

/** Parent of the agents' own folders in a city. */
export const agentFolders = (city: string): string => join(city, '.gc', 'agents')

/** Parent of the sessions' worktrees in a city, by rig. */
export const worktreeFolders = (city: string): string => join(city, '.gc', 'worktrees')

/** The folder of its own in which a confined agent works that has neither a rig nor a `work_dir`. */
export const agentFolder = (city: string, name: string): string => join(agentFolders(city), name)

/** Entries that a city or pack keeps for its agents to read; others could hold keys. */
const READABLE = [
  ...['formulas', 'orders', 'prompts', 'template-fragments', 'skills', 'assets', 'commands', 'schemas'],
  ...['scripts', 'docs'],
  ...['README.md', 'AGENTS.md'],
  ...[...BUILTINS.values()].flatMap(({ instructionsFile }) => instructionsFile ?? []),
]

/** Maximum depth of nested packs, and maximum packs counted in one folder. */
const [MAX_DEPTH, MAX_PACKS] = [3, 200]

/** Readers of a file: their pack's folder or the city, and the folders with links for their program. */
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

/** Readable entries of packs, and those of the city for agents of the whole city, if they exist. */
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

/** True if something is there that is not a link. */
export const isPlain = (path: string): boolean => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === false
