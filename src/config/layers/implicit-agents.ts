import { join } from 'node:path'
import { AGENT, type AgentFields } from '../declare/agent.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import type { Declaration } from '../declare/declaration.ts'
import { AGENT_NAME, qualify } from '../declare/names.ts'
import { type FieldOrigin, IMPLICIT_AGENTS } from '../declare/origin.ts'
import { WORKER_PROMPT } from '../packs/builtin.ts'
import type { Layer, LayerContext } from './layer.ts'
import { patchAgents } from './patch-agents.ts'

/** An agent for each provider of a city that is made of packs, in the city and in each rig. */
export const implicitAgents: Layer = {
  name: IMPLICIT_AGENTS,
  isEditable: false,
  apply(lower, context) {
    const implied = impliedAgents(lower, workerPrompt(context))
    if (implied.length === 0) return lower
    return { ...lower, agents: [...lower.agents, ...patchAgents(implied, lower.patches.agents, () => {})] }
  },
}

/** The prompt of agents that nobody wrote one for, if the packs of gc are on this machine. */
function workerPrompt({ files, folders }: LayerContext): string | undefined {
  const path = join(folders.builtins, 'core', WORKER_PROMPT)
  return files.root(join(folders.builtins, 'core')).text(WORKER_PROMPT) === undefined ? undefined : path
}

/** The names of the agents that providers imply. */
export const impliedNames = (lower: CityDeclarations): ReadonlySet<string> =>
  new Set(impliedAgents(lower).map(({ values }) => qualify(values.dir, values.name ?? '')))

function impliedAgents(lower: CityDeclarations, promptFile?: string): Declaration<AgentFields>[] {
  if (!lower.pack) return []
  const declared = new Set(lower.agents.map(({ values }) => qualify(values.dir, values.name ?? '')))
  const places = [undefined, ...lower.rigs.flatMap(({ values }) => values.name ?? [])]
  return places.flatMap((dir) =>
    providersOf(lower)
      .filter(([name]) => AGENT_NAME.test(name) && !declared.has(qualify(dir, name)))
      .map(([name, origin]) => implied(name, dir, origin, promptFile)),
  )
}

/** The providers that the city declares or names, in order, and what does. */
function providersOf({ providers, workspace, agentDefaults }: CityDeclarations): [string, FieldOrigin][] {
  const named = [workspace, agentDefaults].flatMap((section): [string, FieldOrigin][] => {
    const [name, origin] = [section?.values.provider, section?.origins.provider]
    return name === undefined || origin === undefined ? [] : [[name, origin]]
  })
  const declared = [...providers].map(([name, { block }]): [string, FieldOrigin] => [
    name,
    { block, line: block.line, key: 'name' },
  ])
  return [...new Map([...named, ...declared])].sort(([a], [b]) => (a < b ? -1 : 1))
}

function implied(
  name: string,
  dir: string | undefined,
  origin: FieldOrigin,
  promptFile: string | undefined,
): Declaration<AgentFields> {
  const block = { ...origin.block, layer: implicitAgents }
  return {
    ...{ block, fields: AGENT },
    values: { name, provider: name, ...(dir !== undefined && { dir }), ...(promptFile && { promptFile }) },
    origins: {
      ...{ name: origin, provider: origin },
      ...(dir !== undefined && { dir: origin }),
      ...(promptFile && { promptFile: origin }),
    },
  }
}
