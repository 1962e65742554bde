import { model, npm } from '../parts/index.ts'
import type {
  Obstacle,
  ObstaclePlace,
  ProgramPreset,
  ProtocolLaunch,
  ProtocolPlace,
  ProviderPreset,
} from '../program.ts'

/** A session that no one watches has no one to ask, so its tools run without asking. */
const ENV = { OPENCODE_PERMISSION: '{"*":"allow"}' }

/**
 * OpenCode matches patterns with the commands in a line, and sees no assignments between them. So the plugin has gc decide
 * about the whole line before it runs, and answers the question about that call itself. Of an edit, only the question
 * names every file.
 */
function protocol({ gc, env }: ProtocolPlace): ProtocolLaunch {
  if (env.OPENCODE_PERMISSION === ENV.OPENCODE_PERMISSION) return {}
  return { files: [{ path: '.opencode/plugins/gc-protocol.js', text: protocolPlugin(gc) }] }
}

function obstacle({ words, env }: ObstaclePlace): Obstacle | undefined {
  const pure = words.includes('--pure') ? '--pure' : env.OPENCODE_PURE ? 'OPENCODE_PURE' : undefined
  if (pure === undefined || env.OPENCODE_PERMISSION === ENV.OPENCODE_PERMISSION) return undefined
  return {
    reason: `opencode loads no plugins with ${pure}, so it asks about gc's own commands`,
    fix: `remove ${pure}`,
  }
}

const protocolPlugin = (gc: string): string => `import { resolve } from 'node:path'

export const gcProtocol = async ({ client, directory, $ }) => {
  const allowed = new Set()
  const commands = new Map()
  if (!process.env.GC_SESSION_ID) return {}
  const decide = (hook_event_name, tool_name, tool_input, folder) => {
    const input = new Response(JSON.stringify({ hook_event_name, tool_name, tool_input, folder }))
    return $\`\${${JSON.stringify(gc)}} hook permission opencode < \${input}\`.quiet().nothrow().text()
  }
  return {
    'tool.execute.before': async ({ tool, callID }, output) => {
      if (tool !== 'bash') return
      const answer = await decide('tool.execute.before', tool, output.args)
      const { workdir, ...args } = output.args
      if (answer === '') return void commands.set(callID, { args, folder: resolve(directory, workdir ?? '.') })
      output.args.command = JSON.parse(answer).command
      allowed.add(callID)
    },
    'tool.execute.after': async ({ callID }) => {
      allowed.delete(callID)
      commands.delete(callID)
    },
    event: async ({ event: { type, properties } }) => {
      if (type !== 'permission.asked') return
      const { permission, metadata, tool } = properties
      const isRuled = async () => {
        const { args = metadata, folder } = permission === 'bash' ? (commands.get(tool?.callID) ?? {}) : {}
        return ['bash', 'edit'].includes(permission) && (await decide(type, permission, args, folder)) !== ''
      }
      const isAllowed = (permission === 'bash' && allowed.has(tool?.callID)) || (await isRuled())
      if (!isAllowed) return
      const path = { id: properties.sessionID, permissionID: properties.id }
      await client.postSessionIdPermissionsPermissionId({ path, body: { response: 'once' } })
    },
  }
}
`

const install = { install: npm('opencode-ai'), login: 'opencode auth login' }
/** The hosts that OpenCode calls, whichever models it uses. */
const OWN_HOSTS = ['models.dev', 'opencode.ai', 'models.opencode.ai']

const provider: ProviderPreset = {
  displayName: 'OpenCode',
  command: 'opencode',
  promptMode: 'flag',
  promptFlag: '--prompt',
  readyDelayMs: 8000,
  env: ENV,
  supportsAcp: true,
  acpArgs: ['acp'],
  resumeFlag: '--session',
}

export const opencodePreset: ProgramPreset = {
  ...install,
  provider,
  hosts: [...OWN_HOSTS, 'api.anthropic.com', 'api.openai.com', 'openrouter.ai'],
  settings: ['.opencode'],
  protocol,
  obstacle,
}

/** A program made from OpenCode. */
export const mimocodePreset: ProgramPreset = {
  provider: { ...provider, displayName: 'MiMo Code', command: 'mimo', args: ['--never-ask'], env: {} },
  install: npm('@mimo-ai/cli'),
  login: 'mimo auth login',
  loggedIn: {
    files: ['.local/share/mimocode/auth.json'],
    variable: 'XIAOMI_API_KEY',
    otherwise: 'run `mimo auth login`, or set XIAOMI_API_KEY',
  },
}

/** OpenCode with a model of one provider. */
const withModel = (displayName: string, name: string, host: string, inherited: RegExp): ProgramPreset => ({
  ...install,
  provider: {
    displayName,
    command: 'opencode',
    promptMode: 'none',
    readyDelayMs: 8000,
    env: ENV,
    supportsAcp: true,
    acpArgs: ['acp'],
    optionDefaults: { model: name },
    optionsSchema: [model([name])],
  },
  hosts: [...OWN_HOSTS, host],
  inherited,
  protocol,
  obstacle,
})

export const groqPreset = withModel('Groq (OpenCode)', 'groq/openai/gpt-oss-120b', 'api.groq.com', /^GROQ_/)
export const cerebrasPreset = withModel('Cerebras (OpenCode)', 'cerebras/gpt-oss-120b', 'api.cerebras.ai', /^CEREBRAS_/)
