import type { ServiceConfig } from '../../config/services/index.ts'
import type { ServiceProcess } from './service-process.ts'
import type { ServiceState } from './state.ts'

/** A service, and the process that answers for it; without one gc itself does. */
export interface RunningService {
  readonly service: ServiceConfig
  readonly process: ServiceProcess | undefined
  readonly state: ServiceState
}
