import type { AgentDefaultsFields, AgentFields, NamedSessionFields } from '../agents/index.ts'
import type { Declaration, PackReference } from '../declare/index.ts'
import type { OrdersFields } from '../orders/index.ts'
import type { ImportedPack, Imports, InlineScripts, PackGlobalFields, PackRequirementFields } from '../packs/index.ts'
import type { ProviderConfig, RuntimeFields, UpstreamFields } from '../providers/index.ts'
import type { RigBindingFields, RigFields, SiteFields } from '../rigs/index.ts'
import type { ServiceFields } from '../services/index.ts'
import type {
  ChatSessionsFields,
  DaemonFields,
  DefaultRouteFields,
  EventRotationFields,
  MailFields,
  McpServerFields,
  PricingFields,
  PullRequestMonitorFields,
  SessionFields,
  SessionSleepFields,
  UsageFields,
  WorkspaceFields,
} from '../settings/index.ts'
import type { WebhookFields, WebhookPolicyFields } from '../webhooks/index.ts'
import { NO_PATCHES, type PatchDeclarations } from './patches.ts'

/** The sections that a city has once; layers merge them field by field. */
export interface SectionDeclarations {
  readonly workspace: Declaration<WorkspaceFields>
  readonly site: Declaration<SiteFields>
  readonly agentDefaults: Declaration<AgentDefaultsFields>
  readonly daemon: Declaration<DaemonFields>
  readonly session: Declaration<SessionFields>
  readonly sessionSleep: Declaration<SessionSleepFields>
  readonly chatSessions: Declaration<ChatSessionsFields>
  readonly mail: Declaration<MailFields>
  readonly eventRotation: Declaration<EventRotationFields>
  readonly usage: Declaration<UsageFields>
  readonly webhookPolicy: Declaration<WebhookPolicyFields>
  readonly orders: Declaration<OrdersFields>
}

/** The blocks of which a city has any number. */
export interface BlockDeclarations {
  readonly rigs: readonly Declaration<RigFields>[]
  readonly rigBindings: readonly Declaration<RigBindingFields>[]
  readonly agents: readonly Declaration<AgentFields>[]
  readonly namedSessions: readonly Declaration<NamedSessionFields>[]
  readonly pricing: readonly Declaration<PricingFields>[]
  readonly services: readonly Declaration<ServiceFields>[]
  readonly webhooks: readonly Declaration<WebhookFields>[]
  readonly defaultRoutes: readonly Declaration<DefaultRouteFields>[]
  readonly monitors: readonly Declaration<PullRequestMonitorFields>[]
}

/** Declarations of a city by name; layers merge entries of one name field by field. */
export interface NamedDeclarations {
  /** The providers that gc knows automatically, for others to be based on. */
  readonly presets: ReadonlyMap<string, Declaration<ProviderConfig>>
  readonly providers: ReadonlyMap<string, Declaration<ProviderConfig>>
  readonly mcpServers: ReadonlyMap<string, Declaration<McpServerFields>>
  readonly imports: Imports
  /** Imports of a newly added rig. */
  readonly defaultRigImports: Imports
  readonly upstreams: ReadonlyMap<string, Declaration<UpstreamFields>>
  readonly runtimes: ReadonlyMap<string, Declaration<RuntimeFields>>
}

/** Everything that layers declare of a city; nothing is filled in, and nothing is judged. */
export interface CityDeclarations extends Partial<SectionDeclarations>, BlockDeclarations, NamedDeclarations {
  readonly patches: PatchDeclarations
  /** The city's own pack.toml. */
  readonly pack: CityPack | undefined
  /** The packs that the city and its rigs are made of, each after those that it imports. */
  readonly packs: readonly ImportedPack[]
}

export const NO_DECLARATIONS: CityDeclarations = {
  ...{
    rigs: [],
    rigBindings: [],
    agents: [],
    namedSessions: [],
    pricing: [],
    services: [],
    webhooks: [],
    defaultRoutes: [],
    monitors: [],
  },
  ...{ presets: new Map(), providers: new Map(), mcpServers: new Map(), upstreams: new Map(), runtimes: new Map() },
  ...{ imports: new Map(), defaultRigImports: new Map(), patches: NO_PATCHES, pack: undefined, packs: [] },
}

/** The pack.toml beside city.toml. */
export interface CityPack {
  readonly pack: PackReference
  readonly schema: number
  /** Older references to packs, which have no name here. */
  readonly includes: readonly string[]
  readonly agentDefaults: Declaration<AgentDefaultsFields> | undefined
  readonly requirements: readonly Declaration<PackRequirementFields>[]
  readonly globals: Declaration<PackGlobalFields> | undefined
  readonly scripts: InlineScripts
}
