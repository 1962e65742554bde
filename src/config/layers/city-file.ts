import { AGENT } from '../declare/agent.ts'
import { AGENT_DEFAULTS } from '../declare/agent-defaults.ts'
import type { CityDeclarations, NamedDeclarations, SectionDeclarations } from '../declare/city-declarations.ts'
import { DAEMON } from '../declare/daemon.ts'
import { type Declaration, declareFields } from '../declare/declaration.ts'
import type { FieldSet, ValuesOf } from '../declare/fields.ts'
import { MCP_SERVER } from '../declare/mcp-server.ts'
import { NAMED_SESSION } from '../declare/named-session.ts'
import { PROVIDER } from '../declare/provider.ts'
import { EVENT_ROTATION, MAIL, PRICING, USAGE } from '../declare/records.ts'
import { RIG } from '../declare/rig.ts'
import type { SectionReader } from '../declare/section-reader.ts'
import { SESSION } from '../declare/session.ts'
import { CHAT_SESSIONS, SESSION_SLEEP } from '../declare/session-sleep.ts'
import { WORKSPACE } from '../declare/workspace.ts'
import { CITY_FILE } from '../files/file-names.ts'
import type { Layer } from './layer.ts'
import { mergeDeclarations } from './merge.ts'
import { openFile } from './read-file.ts'

/** What city.toml declares. */
export const cityFile: Layer = {
  name: 'city',
  isEditable: true,
  apply(lower, { files: { city }, diagnostics }) {
    const text = city.text(CITY_FILE)
    const reader = openFile({ layer: cityFile, diagnostics, file: CITY_FILE, text, unknownKeys: 'warning', kind: '' })
    if (text === undefined && city.unreadable.length === 0) {
      reader.error('', `there is no such file in ${city.path}; \`gc init\` makes a city`)
    }
    const declared = declareCity(reader)
    reader.finish()
    return mergeDeclarations(lower, declared)
  },
}

function declareCity(reader: SectionReader): Partial<CityDeclarations> {
  if (isTableWith(reader, 'formulas', 'dir')) {
    reader.child('formulas').error('dir', 'formulas live in formulas/; take this key out')
  }
  return {
    ...sectionsOf(reader),
    ...namedOf(reader),
    rigs: blocksOf(reader, 'rigs', RIG),
    agents: blocksOf(reader, 'agent', AGENT),
    namedSessions: blocksOf(reader, 'named_session', NAMED_SESSION),
    pricing: blocksOf(reader, 'pricing', PRICING),
  }
}

const sectionsOf = (reader: SectionReader): Omit<SectionDeclarations, 'site'> => ({
  workspace: declareFields(reader.child('workspace'), WORKSPACE),
  agentDefaults: declareFields(reader.child('agent_defaults'), AGENT_DEFAULTS),
  daemon: declareFields(reader.child('daemon'), DAEMON),
  session: declareFields(reader.child('session'), SESSION),
  sessionSleep: declareFields(reader.child('session_sleep'), SESSION_SLEEP),
  chatSessions: declareFields(reader.child('chat_sessions'), CHAT_SESSIONS),
  mail: declareFields(reader.child('mail'), MAIL),
  eventRotation: declareFields(reader.child('events').child('rotation'), EVENT_ROTATION),
  usage: declareFields(reader.child('usage'), USAGE),
})

const namedOf = (reader: SectionReader): Omit<NamedDeclarations, 'presets'> => ({
  providers: tablesOf(reader, 'providers', PROVIDER),
  mcpServers: tablesOf(reader, 'mcp_servers', MCP_SERVER),
})

const blocksOf = <Fields extends FieldSet>(reader: SectionReader, key: string, fields: Fields) =>
  reader.blocks(key).map((block) => declareFields(block, fields))

/** The tables under a name, such as `[providers.<name>]`. */
function tablesOf<Fields extends FieldSet>(
  reader: SectionReader,
  key: string,
  fields: Fields,
): ReadonlyMap<string, Declaration<ValuesOf<Fields>>> {
  const tables = reader.child(key, `${key}.*`)
  return new Map(tables.keys.map((name) => [name, declareFields(tables.child(name, key), fields)]))
}

function isTableWith(reader: SectionReader, section: string, key: string): boolean {
  return reader.has(section) && reader.child(section).has(key)
}
