import type { FileSnapshot } from '../file-snapshot.ts'

export const PROMPTS = ['prompt.template.md', 'prompt.md.tmpl', 'prompt.md'] as const

/** Where prompts of ours are written. */
export const PROMPT_FILE = PROMPTS[0]

/** A folder in `agents/`, with the texts in it. */
export interface AgentFolder {
  readonly folder: string
  readonly file: string
  readonly text: string | undefined
  readonly prompt: string | undefined
  /** What the agent in it is called, given the rig its file names. */
  nameIn(dir: string | undefined): string
}

const SEPARATOR = '--'

/** The folders of `agents/` that hold an agent: a table, a prompt or both. */
export function agentFolders(sources: FileSnapshot): AgentFolder[] {
  return sources.folders('agents').flatMap((folder) => {
    const file = `agents/${folder}/agent.toml`
    const text = sources.text(file)
    const prompt = PROMPTS.reduce<string | undefined>(
      (known, name) => known ?? sources.text(`agents/${folder}/${name}`),
      undefined,
    )
    if (text === undefined && prompt === undefined) return []
    return [{ folder, file, text, prompt, nameIn: (dir) => nameIn(folder, dir) }]
  })
}

/** `agents/shop--worker` with `dir = "shop"` is the worker of shop; any other folder is named like its agent. */
function nameIn(folder: string, dir: string | undefined): string {
  const start = `${dir ?? ''}${SEPARATOR}`
  return dir && folder.startsWith(start) && folder.length > start.length ? folder.slice(start.length) : folder
}

/**
 * A free folder for a new agent: named like it, or with its rig in front when another rig's agent has that name.
 * `taken` is in small letters, since some disks do not tell them apart.
 */
export function folderFor(name: string, dir: string | undefined, taken: ReadonlySet<string>): string | undefined {
  const candidates = dir ? [name, `${dir}${SEPARATOR}${name}`] : [name]
  return candidates.find((folder) => !taken.has(folder.toLowerCase()) && nameIn(folder, dir) === name)
}
