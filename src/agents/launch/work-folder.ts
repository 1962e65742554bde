import { mkdirSync, statSync } from 'node:fs'
import type { AgentConfig } from '../../config/agents/index.ts'
import type { CityConfig } from '../../config/city/index.ts'
import { agentFolder, fixedPath, writtenByAgents } from '../../config/confinement/index.ts'
import type { ConfineMode } from '../../config/declare/index.ts'
import { AppError } from '../../core/errors.ts'
import { requireNoLinks } from '../../core/folders.ts'
import type { SessionRow } from '../../work/sessions/index.ts'
import { type Confinable, isOwnFolder } from '../confinement/index.ts'

/**
 * Creates a declared work_dir, and the folder that a city has for an agent; that of a rig or city has to exist. What confined
 * agents can write leads nowhere else.
 */
export function ensureWorkFolder(
  path: string,
  agent: AgentConfig | undefined,
  config: Pick<CityConfig, 'path' | 'rigs'>,
): void {
  const isOwn = isOwnFolder(config.path, path)
  if (isOwn) requireNoLinks(config.path, path)
  const place = agent && agent.confine !== 'off' ? fixedPath(path, writtenByAgents(config)) : path
  if (isOwn || agent?.workDir !== undefined) mkdirSync(place, { recursive: true })
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  throw new AppError('service-unavailable', `its folder ${path} does not exist; make it, or change work_dir`)
}

/** Default folder of agents: the city's folder, or a private one if they are sandboxed. */
export const folderInCity = (city: string, name: string, confine: ConfineMode): string =>
  confine === 'off' ? city : agentFolder(city, name)

/** No agent is called so, whose folder it would be as well. */
export const providerFolder = (provider: string): string => `@${provider}`

/** New folder of a session that started in the city's folder and is sandboxed now; undefined if it stays. */
export function movedFolder(
  { workDir, kind, template }: Pick<SessionRow, 'workDir' | 'kind' | 'template'>,
  confinable: Confinable | undefined,
  city: string,
): string | undefined {
  if (workDir !== city || !confinable || confinable.workDir !== undefined) return undefined
  return folderInCity(city, kind === 'agent' ? template : providerFolder(template), confinable.confine)
}
