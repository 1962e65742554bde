import { mkdirSync, statSync } from 'node:fs'
import type { AgentConfig } from '../../config/city-config.ts'
import { AppError } from '../../core/errors.ts'

/** Creates a declared work_dir; the folder of a rig or city has to exist. */
export function ensureWorkFolder(path: string, agent: AgentConfig | undefined): void {
  if (agent?.workDir !== undefined) mkdirSync(path, { recursive: true })
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) return
  throw new AppError('service-unavailable', `its folder ${path} does not exist; make it, or change work_dir`)
}
