import { npm } from '../parts/install.ts'
import { choice, model, passThrough, permissions } from '../parts/options.ts'
import type { ProgramPreset, ProviderOption } from '../program.ts'
import { claudeCheck } from './probe.ts'

const MODELS = ['fable-5', 'opus', 'opus-5', 'opus-4-7', 'sonnet', 'sonnet-5', 'sonnet-4-6', 'haiku']

/** Claude knows its families by bare name and everything else by its full one. */
const fullName = (value: string): string => (value.includes('-') ? `claude-${value}` : value)

const options: ProviderOption[] = [
  permissions(
    'auto-edit',
    choice('ask', 'Ask', '--permission-mode', 'default'),
    choice('auto-edit', 'Edit without asking', '--permission-mode', 'acceptEdits'),
    choice('full-auto', 'Never ask', '--permission-mode', 'dontAsk'),
    choice('plan', 'Plan only', '--permission-mode', 'plan'),
    choice('unrestricted', 'No permission checks', '--dangerously-skip-permissions'),
  ),
  passThrough('effort', 'Effort', ['low', 'medium', 'high', 'xhigh', 'max'], (value) => ['--effort', value]),
  model(MODELS, (value) => ['--model', fullName(value)]),
]

export const claudePreset: ProgramPreset = {
  provider: {
    displayName: 'Claude Code',
    instructionsFile: 'CLAUDE.md',
    command: 'claude',
    readyDelayMs: 10000,
    readyPromptPrefix: '❯ ',
    supportsAcp: true,
    resumeFlag: '--resume',
    optionDefaults: { permission_mode: 'unrestricted', effort: 'max' },
    optionsSchema: options,
  },
  install: npm('@anthropic-ai/claude-code'),
  login: 'claude auth login',
  probe: { check: claudeCheck },
  hosts: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com', 'claude.ai'],
  inherited: /^(?:ANTHROPIC_|CLAUDE_CONFIG_DIR$)/,
  loginVariables: /^(?:ANTHROPIC_|CLAUDE_CODE_OAUTH_TOKEN$|CLAUDE_CONFIG_DIR$)/,
  settings: ['.claude', '.claude.json'],
}
