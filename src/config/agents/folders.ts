import { AGENTS_FOLDER, type RootSnapshot } from '../files/index.ts'

/** The names a prompt may have in an agent's folder; the first that exists is its prompt. */
export const PROMPT_NAMES = ['prompt.template.md', 'prompt.md.tmpl', 'prompt.md'] as const

/** The name under which gc writes a prompt. */
export const PROMPT_NAME = PROMPT_NAMES[0]

/** A folder in `agents/` that declares an agent. */
export interface AgentFolder {
  readonly folder: string
  readonly file: string
  readonly promptFile: string | undefined
  /** Name of its agent within the rig that its file names. */
  nameIn(dir: string | undefined): string
}

const SEPARATOR = '--'

/** The folders of `agents/` that hold a declaration, a prompt or both; in a pack, all of them. */
export function listAgentFolders(root: RootSnapshot, { ofPack = false } = {}): AgentFolder[] {
  return root.folders(AGENTS_FOLDER).flatMap((folder) => {
    const file = `${AGENTS_FOLDER}/${folder}/agent.toml`
    const isDeclared = root.text(file) !== undefined
    const prompts = PROMPT_NAMES.map((name) => `${AGENTS_FOLDER}/${folder}/${name}`)
    const promptFile = prompts.find((path) => root.text(path) !== undefined)
    if (!isDeclared && promptFile === undefined && !ofPack) return []
    return [{ folder, file, promptFile, nameIn: (dir) => nameIn(folder, dir) }]
  })
}

/** `agents/shop--worker` with `dir = "shop"` is the worker of shop; any other folder is named like its agent. */
function nameIn(folder: string, dir: string | undefined): string {
  const prefix = `${dir ?? ''}${SEPARATOR}`
  return dir && folder.startsWith(prefix) && folder.length > prefix.length ? folder.slice(prefix.length) : folder
}

/**
 * A free folder for a new agent: named like it, or with its rig in front when another rig's agent has that name.
 * `taken` is in lower case, since some disks do not tell cases apart.
 */
export function chooseAgentFolder(
  name: string,
  dir: string | undefined,
  taken: ReadonlySet<string>,
): string | undefined {
  const candidates = dir ? [name, `${dir}${SEPARATOR}${name}`] : [name]
  return candidates.find((folder) => !taken.has(folder.toLowerCase()) && nameIn(folder, dir) === name)
}
