import { dirname, join } from 'node:path'
import { asString, isObject, parseJson } from '../entries/json.ts'
import { choice, model, npm, type ProviderOption, passThrough, permissions } from '../parts/preset.ts'
import { configured, type Inspector, invalid, needsAuth, type ProbeResult } from '../parts/probe.ts'
import type { ProgramPreset, ProtocolLaunch, ProtocolPlace } from '../program.ts'
import { GUARD, quote } from '../protocol/index.ts'

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

/** The folder of the plugin beside gc. */
const PLUGIN = 'claude-plugin'

/** A hook decides on parsed arguments, since rules that match the beginning of a command let others slip through. */
function hooksFor(gc: string): string {
  const command = `${quote(gc)} hook permission claude ${quote(gc)}`
  const matched = [{ matcher: 'Bash', hooks: [{ type: 'command', command, timeout: 10 }] }]
  return JSON.stringify({ hooks: { PreToolUse: matched, PermissionRequest: matched } })
}

/**
 * In the mode `plan`, which it can enter by itself, no hook allows a command unless a rule does. The rule is for the guard
 * of gc, with which the hook starts commands then. The last `--settings` replaces others: beside one of the agent's own,
 * the hook comes as a plugin.
 */
const protocol = ({ gc, words }: ProtocolPlace): ProtocolLaunch => ({
  args: [
    ...(words.some((word) => /^--settings(?:=|$)/.test(word))
      ? [`--plugin-dir=${join(dirname(gc), PLUGIN)}`]
      : ['--settings', hooksFor(gc)]),
    `--allowedTools=Bash(${[quote(gc), ...GUARD].join(' ')}:*)`,
  ],
})

const PLUGIN_FILES = [
  { name: `${PLUGIN}/.claude-plugin/plugin.json`, text: () => JSON.stringify({ name: 'gc', version: '1.0.0' }) },
  { name: `${PLUGIN}/hooks/hooks.json`, text: hooksFor },
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
  protocol,
  besideGc: PLUGIN_FILES,
  trust: () => ({ env: { CLAUDE_CODE_SANDBOXED: '1' } }),
}
