import type { ProgramRuntime } from '../program.ts'
import { opencodeLimit } from './limits.ts'
import { opencodeLogs } from './log.ts'

/** OpenCode with the models of one provider. */
export const providerRuntime: ProgramRuntime = {
  log: opencodeLogs,
}

export const opencodeRuntime: ProgramRuntime = {
  ...providerRuntime,
  limit: opencodeLimit,
}
