import { npm, script } from '../parts/install.ts'
import { choice, permissions } from '../parts/options.ts'
import type { ProgramPreset, ProviderOption } from '../program.ts'
import { geminiCheck } from './probe.ts'

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
