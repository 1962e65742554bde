import { boolean, type FieldReader, identifier, integer, string, stringMap, strings, type ValuesOf } from './fields.ts'
import { CITY_NAME, PREFIX } from './names.ts'

const timezone: FieldReader<string> = {
  key: 'timezone',
  read(section) {
    const zone = section.string('timezone')
    if (zone === undefined || isTimezone(zone)) return zone
    section.error('timezone', `"${zone}" is not a time zone such as Europe/Paris or UTC`)
    return undefined
  },
}

/** `[workspace]`. */
export const WORKSPACE = {
  name: identifier('name', CITY_NAME, '".", "-" or "_"'),
  prefix: identifier('prefix', PREFIX, '"-" or "_"'),
  provider: string('provider'),
  startCommand: string('start_command'),
  timezone,
  suspendedOnStart: boolean('suspended_on_start'),
  /** The old name of suspended_on_start. */
  suspended: boolean('suspended'),
  maxActive: integer('max_active_sessions', { min: -1 }),
  sessionTemplate: string('session_template'),
  env: stringMap('env'),
  globalFragments: strings('global_fragments'),
  installAgentHooks: strings('install_agent_hooks'),
}
export type WorkspaceFields = ValuesOf<typeof WORKSPACE>

function isTimezone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone })
    return true
  } catch {
    return false
  }
}
