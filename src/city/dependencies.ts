import type { TokenDemand } from '../agents/confinement/index.ts'
import type { AgentNetwork } from '../agents/network/index.ts'
import type { ConfineMode } from '../config/declare/index.ts'
import type { Clock } from '../core/clock.ts'
import type { Deadlines } from '../core/deadlines.ts'
import type { StoreFailure } from '../core/store/index.ts'
import type { SessionHost } from '../host/client/index.ts'
import type { ConfineTool } from '../host/confine/index.ts'
import type { TokenMirror } from '../http/tokens.ts'

/** Holder of the lock of a running city. */
export const holderOf = (name: string, home: string): string => `the city ${name} of ${home}`

/** Dependencies of a city on its supervisor. */
export interface CityDependencies {
  name: string
  path: string
  /** `$GC_HOME`. */
  home: string
  /** The folders of the other cities of `$GC_HOME`. */
  otherCities?(): readonly string[]
  /** The gc program sessions find in `GC_BIN`. */
  bin: string
  version: string
  /** Environment that sessions inherit. */
  env: Readonly<Record<string, string | undefined>>
  /** Has the supervisor ask everybody for a token, which confinement implies. */
  tokenRequirement: TokenDemand
  /** Default sandbox of agents that declare none. */
  defaultConfine: ConfineMode
  /** Address on which the supervisor listens. */
  url(): string
  host: SessionHost
  /** Confines what gc runs itself on files that agents wrote; absent where this system cannot. */
  confineTool?: ConfineTool | undefined
  clock: Clock
  deadlines: Deadlines
  /** Copy of the city's valid tokens at the supervisor. */
  tokenMirror: TokenMirror
  report(message: string): void
  /** Address of direct services and webhooks for other machines; undefined without one. */
  publicUrl?(): string | undefined
  /** The social network of the supervisor; undefined while it serves none. */
  network?(): AgentNetwork | undefined
  /** Hears that the city's store takes no more writes. */
  onStoreFailure?(failure: StoreFailure): void
  /** Hears of each backup that was read to its end, and where it is kept. */
  onBackup?(file: string | undefined): void
  /** Hears each step of the start. */
  phase(
    now: 'loading_config' | 'starting_bead_store' | 'resolving_formulas' | 'adopting_sessions' | 'starting_agents',
  ): void
}
