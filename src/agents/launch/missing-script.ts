import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { AgentConfig } from '../../config/agents/index.ts'
import { isPlain } from '../../config/confinement/index.ts'
import { folderInCity } from './work-folder.ts'

type Scripted = Pick<AgentConfig, 'startCommand' | 'workDir' | 'worktree' | 'preStart' | 'confine' | 'qualified'>

/** A relative path that a line of shell begins with. */
const SCRIPT = /^(?!\/)[\w.@+-]*\/[\w./@+-]+(?=\s|$)/

/**
 * Message that the script of a start command is missing in the folder of its sandboxed agent, with the fix; undefined
 * if it exists or can appear before the start.
 */
export function missingScript(agent: Scripted, rig: string | undefined, city: string): string | undefined {
  const { startCommand = '', workDir, worktree, preStart, confine } = agent
  const [script] = SCRIPT.exec(startCommand) ?? []
  if (script === undefined || confine === 'off' || workDir !== undefined || worktree || preStart.length > 0)
    return undefined
  const folder = rig ?? folderInCity(city, agent.qualified, confine)
  if (existsSync(resolve(folder, script))) return undefined
  const what = `its start_command ${script} is not in ${folder}, where it works`
  const inCity = resolve(city, script)
  if (rig !== undefined || !isPlain(inCity)) {
    return `${what}: put it there, or name it by its whole path`
  }
  const place = join(city, 'scripts')
  return `${what}, but in the city's folder: move it to ${place}, which its sessions read, and name it by its whole path`
}
