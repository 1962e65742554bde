import { HostedCommands } from '../agents/commands/hosted-commands.ts'
import { commandEnvironment } from '../agents/lifecycle/environment.ts'
import type { Config } from '../config/config.ts'
import type { Suspensions } from '../config/suspensions/suspensions.ts'
import { probeService } from '../connect/services/probe.ts'
import { ServiceRepository } from '../connect/services/repository.ts'
import { Services } from '../connect/services/services.ts'
import type { EventLog } from '../core/events/log.ts'
import type { Store } from '../core/store.ts'
import type { ProcessTokens } from '../http/process-tokens.ts'
import type { OrderApproval } from '../orchestration/orders/dispatch/approval.ts'
import type { CityDependencies } from './dependencies.ts'

interface ServiceProcessesOptions extends CityDependencies {
  config: Config
  store: Store
  log: EventLog
  processTokens: ProcessTokens
  orderApproval: OrderApproval
  suspensions: Suspensions
}

/** Between TERM and KILL. */
const GRACE_MS = 2_000

/** What keeps the services of the city and its packs running. */
export function buildServiceProcesses(options: ServiceProcessesOptions): Services {
  const { name: city, path, store, host, url, publicUrl = () => undefined } = options
  return new Services({
    ...{
      ...options,
      city,
      publicUrl,
      probe: probeService,
      tokens: options.processTokens,
      approval: options.orderApproval,
    },
    repository: new ServiceRepository(store),
    commands: new HostedCommands({ city, kind: 'service', host, grace: GRACE_MS }),
    surroundings: () => ({
      ...{ city, path, url: url() },
      // Made for who starts a process: every request that is passed on asks for the rest.
      get base() {
        return commandEnvironment({ ...options, city })
      },
    }),
  })
}
