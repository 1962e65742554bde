import type { AgentFields } from '../declare/agent.ts'
import { type Declaration, withValue } from '../declare/declaration.ts'
import type { PackGlobalFields } from '../declare/pack.ts'
import type { Layer } from './layer.ts'

interface Global {
  readonly rig: string | undefined
  readonly declaration: Declaration<PackGlobalFields>
  readonly commands: readonly string[]
}

/** `[global]` of packs: those of the city reach every agent, those of a rig its agents; each pack once. */
export const packGlobals: Layer = {
  name: 'pack globals',
  isEditable: false,
  apply(lower, { files: { city } }) {
    const own = lower.pack && { pack: lower.pack.pack, rig: undefined, globals: lower.pack.globals }
    const seen = new Set<string>()
    const globals = [...lower.packs, ...(own ? [own] : [])].flatMap(({ pack, rig, globals: declaration }): Global[] => {
      const key = `${rig ?? ''}/${pack.name}`
      const commands = declaration?.values.sessionLive
      if (!declaration || !commands || seen.has(key)) return []
      seen.add(key)
      const folder = pack.folder || city.path
      return [{ rig, declaration, commands: commands.map((command) => fillConfigDir(command, folder)) }]
    })
    if (globals.length === 0) return lower
    return { ...lower, agents: lower.agents.map((agent) => globals.reduce(withGlobal, agent)) }
  },
}

/** `{{.ConfigDir}}` of a pack's own commands is the pack's folder, whoever's session runs them. */
const fillConfigDir = (command: string, folder: string): string =>
  command.replaceAll(/\{\{-?\s*\.ConfigDir\s*-?\}\}/g, () => folder)

function withGlobal(agent: Declaration<AgentFields>, { rig, declaration, commands }: Global): Declaration<AgentFields> {
  if (rig !== undefined && agent.values.dir !== rig) return agent
  const live = [...(agent.values.sessionLive ?? []), ...commands]
  return withValue(agent, 'sessionLive', live, declaration.origins.sessionLive)
}
