import type { ProgramRuntime } from '../program.ts'
import { opencodeLimit } from './limits.ts'
import { opencodeLogs } from './log.ts'
import { mimocodeProject, opencodeProject } from './project.ts'

/** OpenCode with a model of one provider. */
export const withModelRuntime: ProgramRuntime = {
  log: opencodeLogs,
}

export const opencodeRuntime: ProgramRuntime = {
  ...withModelRuntime,
  ...opencodeProject,
  limit: opencodeLimit,
}

export const mimocodeRuntime: ProgramRuntime = mimocodeProject
