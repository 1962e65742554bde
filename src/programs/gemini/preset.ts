import { dirname, join } from 'node:path'
import { asObject, asString, isObject } from '../entries/index.ts'
import {
  choice,
  configured,
  type Inspector,
  invalid,
  needsAuth,
  npm,
  type ProbeResult,
  type ProviderOption,
  permissions,
  script,
} from '../parts/index.ts'
import type { Obstacle, ObstaclePlace, ProgramPreset, ProtocolLaunch, ProtocolPlace } from '../program.ts'
import { PROTOCOL_ONLY, quote } from '../protocol/index.ts'
import { policyText } from './policy.ts'

/** Settings of a project, which others also write. */
export const SETTINGS = '.gemini/settings.json'

export function geminiCheck(inspector: Inspector): ProbeResult {
  const folder = join(inspector.env.GEMINI_CLI_HOME || inspector.home, '.gemini')
  const settings = inspector.readJson(join(folder, 'settings.json'))
  if (settings === undefined) return needsAuth('run `gemini` and log in')
  if (!isObject(settings)) return invalid('~/.gemini/settings.json is not JSON')
  const authType = asString(asObject(asObject(settings.security).auth).selectedType)
  if (authType === undefined) return needsAuth('run `gemini` and log in')
  if (authType !== 'oauth-personal') return invalid(`it logs in by ${authType}, not with a Google account`)
  const credentials = asObject(inspector.readJson(join(folder, 'oauth_creds.json')))
  return asString(credentials.refresh_token) ? configured : needsAuth('run `gemini` and log in again')
}

const geminiOptions: ProviderOption[] = [
  permissions(
    'default',
    choice('default', 'Ask', '--approval-mode', 'default'),
    choice('auto-edit', 'Edit without asking', '--approval-mode', 'auto_edit'),
    choice('plan', 'Plan only', '--approval-mode', 'plan'),
    choice('unrestricted', 'No permission checks', '--approval-mode', 'yolo'),
  ),
]

const antigravityOptions: ProviderOption[] = [
  permissions(
    'standard',
    choice('standard', 'Ask'),
    choice('accept-edits', 'Edit without asking', '--mode', 'accept-edits'),
    choice('plan', 'Plan only', '--mode', 'plan'),
    choice('unrestricted', 'No permission checks', '--dangerously-skip-permissions'),
  ),
]

/** The file of rules beside gc: in a project, sessions could change it. */
const POLICY = 'gemini-policy.toml'

/**
 * Its rules match the whole of a tool's arguments, and with them one plain command that begins as one of the protocol. With
 * the variable gc itself refuses all that the protocol does not have behind the first words.
 */
function protocol({ gc, mode }: ProtocolPlace): ProtocolLaunch {
  if (mode === 'unrestricted') return {}
  const command = `${PROTOCOL_ONLY}= ${quote(gc)} hook permission gemini`
  const hooks = [{ type: 'command', command, timeout: 10_000 }]
  return {
    args: ['--admin-policy', join(dirname(gc), POLICY)],
    env: { [PROTOCOL_ONLY]: '1' },
    // The hook names commands for the rules of people. It allows none, and without it they are asked.
    files: [{ path: SETTINGS, settings: { hooks: { BeforeTool: [{ matcher: 'run_shell_command', hooks }] } } }],
  }
}

/** Folder of an administrator's rules. */
const SYSTEM_POLICIES = ['/etc/gemini-cli/policies', '/Library/Application Support/GeminiCli/policies']

/** With rules of the system it ignores those of its command line. */
function obstacle({ inspector, mode }: ObstaclePlace): Obstacle | undefined {
  if (mode === 'unrestricted') return undefined
  const folder = SYSTEM_POLICIES.find((path) => inspector.listFolder(path).some((name) => name.endsWith('.toml')))
  if (folder === undefined) return undefined
  return {
    reason: `gemini reads no rules of gc beside those in ${folder}, so it asks about gc's own commands`,
    fix: `copy $GC_HOME/bin/${POLICY} to ${folder}`,
  }
}

export const geminiPreset: ProgramPreset = {
  provider: {
    displayName: 'Gemini CLI',
    instructionsFile: 'GEMINI.md',
    command: 'gemini',
    readyDelayMs: 5000,
    readyPromptPrefix: '> ',
    resumeFlag: '--resume',
    optionDefaults: { permission_mode: 'unrestricted' },
    optionsSchema: geminiOptions,
  },
  install: npm('@google/gemini-cli'),
  login: 'gemini, and log in',
  probe: { check: geminiCheck },
  hosts: [
    ...['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
    ...['accounts.google.com', 'www.googleapis.com'],
  ],
  inherited: /^(?:GEMINI_|GOOGLE_)/,
  loginVariables: /^(?:GEMINI_|GOOGLE_)/,
  settings: ['.gemini'],
  protocol,
  obstacle,
  besideGc: [{ name: POLICY, text: policyText }],
  trust: () => ({ env: { GEMINI_CLI_TRUST_WORKSPACE: 'true' } }),
}

/** It keeps its login in the folder of Gemini CLI. */
export const antigravityPreset: ProgramPreset = {
  provider: {
    displayName: 'Antigravity',
    command: 'agy',
    promptMode: 'flag',
    promptFlag: '--prompt-interactive',
    readyDelayMs: 5000,
    readyPromptPrefix: '> ',
    resumeFlag: '--conversation',
    optionDefaults: { permission_mode: 'unrestricted' },
    optionsSchema: antigravityOptions,
  },
  install: script('https://antigravity.google/cli/install.sh'),
  login: 'agy, and log in',
  loggedIn: {
    files: ['.gemini/antigravity-cli/antigravity-oauth-token', '.gemini/antigravity/oauth_creds.json'],
    otherwise: 'run `agy` and log in',
  },
}
