import {
  boolean,
  CITY_NAME,
  type Declaration,
  identifier,
  integer,
  PREFIX,
  string,
  stringMap,
  strings,
  timeZone,
  type ValuesOf,
} from '../declare/index.ts'

/** `[workspace]`. */
export const WORKSPACE = {
  name: identifier('name', CITY_NAME, '".", "-" or "_"'),
  prefix: identifier('prefix', PREFIX, '"-" or "_"'),
  provider: string('provider'),
  startCommand: string('start_command'),
  timezone: timeZone('timezone'),
  suspendedOnStart: boolean('suspended_on_start'),
  /** The old name of suspended_on_start. */
  suspended: boolean('suspended'),
  maxActive: integer('max_active_sessions', { min: -1 }),
  sessionTemplate: string('session_template'),
  env: stringMap('env'),
  globalFragments: strings('global_fragments'),
  installAgentHooks: strings('install_agent_hooks'),
  /** Packs that the city imports in the older way, without a name. */
  includes: strings('includes'),
  /** Includes of a newly added rig, in the older style. */
  defaultRigIncludes: strings('default_rig_includes'),
}
export type WorkspaceFields = ValuesOf<typeof WORKSPACE>

/** `[workspace]`. */
export interface WorkspaceConfig {
  readonly declaredName?: string
  readonly declaredPrefix?: string
  /** The provider of agents that name none. */
  readonly provider?: string
  /** The command of agents that have neither a command nor a provider. */
  readonly startCommand?: string
  readonly suspendedOnStart: boolean
  /** The highest number of sessions of the whole city; undefined for no limit. */
  readonly maxActive: number | undefined
  /** Declared maximum: absent if undeclared, -1 for explicitly unlimited. */
  readonly declaredMaxActive?: number
  readonly sessionTemplate?: string
  readonly env: Readonly<Record<string, string>>
  /** The fragments that are put behind every prompt. */
  readonly globalFragments: readonly string[]
  /** The programs whose hooks are installed for every agent. */
  readonly installAgentHooks: readonly string[]
}

/** A limit on sessions: -1 and absent both mean none. */
export const toLimit = (declared: number | undefined): number | undefined =>
  declared === undefined || declared < 0 ? undefined : declared

export function resolveWorkspace(declared: Declaration<WorkspaceFields> | undefined): WorkspaceConfig {
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
