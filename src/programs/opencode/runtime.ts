import { type McpConnection, type Settings, serverSettings } from '../parts/index.ts'
import type { ProgramRuntime } from '../program.ts'
import { opencodeLimit } from './limits.ts'
import { opencodeLogs } from './log.ts'

/** The plugin that reports OpenCode's conversation to gc; it does nothing outside of a session. */
const PLUGIN = `export const gc = async ({ $ }) => ({
  event: async ({ event }) => {
    if (!process.env.GC_SESSION_ID || event.type !== 'session.created') return
    const input = new Response(JSON.stringify({ session_id: event.properties.info.id, source: 'startup' }))
    await $\`gc prime --hook --hook-format opencode < \${input}\`.quiet().nothrow()
  },
})
`

const SETTINGS = 'opencode.json'
/** OpenCode writes this into a file without it, which would then count as changed by somebody else. */
const SCHEMA: Settings = { $schema: 'https://opencode.ai/config.json' }

function serverOf(server: McpConnection): Settings {
  if ('command' in server) {
    return { type: 'local', command: [server.command, ...server.args], environment: server.env, enabled: true }
  }
  return { type: 'remote', url: server.url, headers: server.headers, enabled: true }
}

/** OpenCode with a model of one provider. */
export const withModelRuntime: ProgramRuntime = { log: opencodeLogs }

export const opencodeRuntime: ProgramRuntime = {
  ...withModelRuntime,
  skills: '.opencode/skills',
  hooks: [{ path: '.opencode/plugins/gc.js', text: PLUGIN }],
  mcp: (servers, isSecret) => [
    { path: SETTINGS, settings: SCHEMA },
    serverSettings({ path: SETTINGS, key: 'mcp', isSecret }, servers, serverOf),
  ],
  limit: opencodeLimit,
}

export const mimocodeRuntime: ProgramRuntime = { skills: '.mimocode/skills' }
