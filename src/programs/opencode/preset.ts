import { model, npm } from '../parts/preset.ts'
import type { ProgramPreset, ProviderPreset } from '../program.ts'

/** A session that nobody watches has nobody to ask, so its tools run without asking. */
const ENV = { OPENCODE_PERMISSION: '{"*":"allow"}' }

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
})

export const groqPreset = withModel('Groq (OpenCode)', 'groq/openai/gpt-oss-120b', 'api.groq.com', /^GROQ_/)
export const cerebrasPreset = withModel('Cerebras (OpenCode)', 'cerebras/gpt-oss-120b', 'api.cerebras.ai', /^CEREBRAS_/)
