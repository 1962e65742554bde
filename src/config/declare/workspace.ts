import { boolean, identifier, integer, string, stringMap, strings, timeZone, type ValuesOf } from './fields.ts'
import { CITY_NAME, PREFIX } from './names.ts'

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
  /** What a rig includes in the same way when it is added. */
  defaultRigIncludes: strings('default_rig_includes'),
}
export type WorkspaceFields = ValuesOf<typeof WORKSPACE>
