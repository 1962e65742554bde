import { asString, isObject, parseJson } from '../entries/json.ts'
import { choice, model, npm, type ProviderOption, passThrough, permissions } from '../parts/preset.ts'
import { configured, type Inspector, invalid, needsAuth, type ProbeResult } from '../parts/probe.ts'
import type { ProgramPreset, ProtocolLaunch, ProtocolPlace } from '../program.ts'
import { quote } from '../protocol/index.ts'

export async function claudeCheck(inspector: Inspector): Promise<ProbeResult> {
  const result = await inspector.run(['claude', 'auth', 'status', '--json'])
  if (result.timedOut) return { status: 'probe_error', detail: '`claude auth status` did not answer in time' }
  const status = parseJson(result.stdout)
  if (!isObject(status)) return { status: 'probe_error', detail: '`claude auth status --json` did not print JSON' }
  if (status.loggedIn !== true) return needsAuth('run `claude auth login`')
  if (status.apiProvider !== 'firstParty')
    return invalid(`it uses ${asString(status.apiProvider) ?? 'another provider'}`)
  if (status.authMethod === 'claude.ai' || status.authMethod === 'oauth_token') return configured
  return invalid(`it is logged in by ${asString(status.authMethod) ?? 'other means'}, not with a Claude account`)
}

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

/** A hook decides on parsed arguments, since rules that match the beginning of a command let others slip through. */
const protocol = ({ gc }: ProtocolPlace): ProtocolLaunch => {
  const hook = { type: 'command', command: `${quote(gc)} hook permission claude`, timeout: 10 }
  const matched = [{ matcher: 'Bash', hooks: [hook] }]
  return { args: ['--settings', JSON.stringify({ hooks: { PreToolUse: matched, PermissionRequest: matched } })] }
}

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
  protocol,
  trust: () => ({ env: { CLAUDE_CODE_SANDBOXED: '1' } }),
}
