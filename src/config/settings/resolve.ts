import { type Declaration, locationOf } from '../declare/index.ts'
import type { Diagnostics } from '../files/index.ts'
import type {
  ChatSessionsConfig,
  DaemonConfig,
  EventArchiveConfig,
  MailConfig,
  PricingConfig,
  SessionConfig,
  SessionSleepConfig,
  UsageConfig,
  WorkspaceConfig,
} from './config.ts'
import type {
  ChatSessionsFields,
  DaemonFields,
  EventRotationFields,
  MailFields,
  PricingFields,
  SessionFields,
  SessionSleepFields,
  UsageFields,
  WorkspaceFields,
} from './fields.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

type OptionalDeclaration<Fields> = Declaration<Fields> | undefined

/** A limit on sessions: -1 and absent both mean none. */
export const toLimit = (declared: number | undefined): number | undefined =>
  declared === undefined || declared < 0 ? undefined : declared

export function resolveWorkspace(declared: OptionalDeclaration<WorkspaceFields>): WorkspaceConfig {
  const { name, prefix, provider, startCommand, maxActive, sessionTemplate, ...values } = declared?.values ?? {}
  return {
    ...{ declaredName: name, declaredPrefix: prefix, provider, startCommand, sessionTemplate },
    suspendedOnStart: values.suspendedOnStart ?? values.suspended ?? false,
    maxActive: toLimit(maxActive),
    declaredMaxActive: maxActive,
    env: values.env ?? {},
    globalFragments: values.globalFragments ?? [],
    installAgentHooks: values.installAgentHooks ?? [],
  }
}

export const resolveDaemon = (declared: OptionalDeclaration<DaemonFields>): DaemonConfig => ({
  patrolInterval: 30 * SECOND,
  maxRestarts: 5,
  restartWindow: HOUR,
  shutdownTimeout: 5 * SECOND,
  driftDrainTimeout: 2 * MINUTE,
  wispTtl: 7 * DAY,
  wispGcInterval: 60 * MINUTE,
  probeConcurrency: 8,
  maxWakesPerTick: 5,
  graphs: true,
  ...declared?.values,
})

export const resolveSession = (declared: OptionalDeclaration<SessionFields>): SessionConfig => ({
  provider: '',
  setupTimeout: 10 * SECOND,
  worktreeLimit: 50,
  snapshotMaxBytes: 100_000_000,
  snapshotInterval: 30 * SECOND,
  startupTimeout: 10 * MINUTE,
  ...declared?.values,
})

export const resolveChatSessions = (declared: OptionalDeclaration<ChatSessionsFields>): ChatSessionsConfig => ({
  idleTimeout: declared?.values.idleTimeout ?? undefined,
  gracePeriod: declared?.values.gracePeriod ?? 10 * MINUTE,
})

export const resolveMail = (declared: OptionalDeclaration<MailFields>): MailConfig => ({
  retentionTtl: 30 * DAY,
  ...declared?.values,
})

export const resolveEventArchives = (declared: OptionalDeclaration<EventRotationFields>): EventArchiveConfig => ({
  age: 365 * DAY,
  bytes: 10 * 2 ** 30,
  ...declared?.values,
})

export const resolveUsage = (declared: OptionalDeclaration<UsageFields>): UsageConfig => ({
  provider: 'local',
  ...declared?.values,
})

export const resolveSessionSleep = (declared: Declaration<SessionSleepFields> | undefined): SessionSleepConfig => ({
  resume: declared?.values.resume,
  fresh: declared?.values.fresh,
  noninteractive: declared?.values.noninteractive,
})

/** The declared prices; what a price leaves out costs nothing. */
export function resolvePricing(
  pricing: readonly Declaration<PricingFields>[],
  diagnostics: Diagnostics,
): PricingConfig[] {
  return pricing.flatMap((declaration) => {
    const { model, provider, input = 0, output = 0, cacheRead = 0, cacheWrite = 0 } = declaration.values
    if (model !== undefined) return [{ provider, model, input, output, cacheRead, cacheWrite }]
    diagnostics.warning(locationOf(declaration, 'model'), 'is required; this price is ignored')
    return []
  })
}
