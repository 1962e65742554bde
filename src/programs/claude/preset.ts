import { dirname, join, resolve } from 'node:path'
import { asObject, asString, isObject, type JsonRecord, parseJson } from '../entries/index.ts'
import {
  choice,
  configured,
  type Inspector,
  invalid,
  model,
  needsAuth,
  npm,
  type ProbeResult,
  type ProviderOption,
  passThrough,
  permissions,
} from '../parts/index.ts'
import type { Obstacle, ObstaclePlace, ProgramPreset, ProtocolLaunch, ProtocolPlace } from '../program.ts'
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

/** The tools about which a hook may decide when a person is about to be asked. */
const ASKING_TOOLS = 'Bash|Edit|MultiEdit|NotebookEdit|Read|Write'

/** A hook decides on parsed arguments, since rules that match the beginning of a command let others slip through. */
function hooksFor(gc: string): string {
  const command = `${quote(gc)} hook permission claude ${quote(gc)}`
  const matched = (matcher: string) => [{ matcher, hooks: [{ type: 'command', command, timeout: 10 }] }]
  return JSON.stringify({ hooks: { PreToolUse: matched('Bash'), PermissionRequest: matched(ASKING_TOOLS) } })
}

/**
 * In the mode `plan`, which the program can enter on its own, a hook cannot allow a command without a rule. The rule is for the guard
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

const MANAGED = ['/etc/claude-code', '/Library/Application Support/ClaudeCode'].map((folder) =>
  join(folder, 'managed-settings.json'),
)

/** Its settings by their files, those that prevail first. */
function settingsOf({ inspector, words, env, folder }: ObstaclePlace): [from: string, settings: JsonRecord][] {
  const at = words.findLastIndex((word) => /^--settings(?:=|$)/.test(word))
  const own = words[at]?.split('=').slice(1).join('=') || words[at + 1]
  const inline = at < 0 ? undefined : parseJson(own ?? '')
  const user = env.CLAUDE_CONFIG_DIR || join(env.HOME || inspector.home, '.claude')
  const project = folder === undefined ? [] : [join(folder, '.claude')]
  const paths = [
    ...MANAGED,
    ...(at < 0 || inline !== undefined || own === undefined ? [] : [resolve(folder ?? inspector.home, own)]),
    ...project.flatMap((path) => [join(path, 'settings.local.json'), join(path, 'settings.json')]),
    join(user, 'settings.json'),
  ]
  const files = paths.map((path): [string, JsonRecord] => [path, asObject(inspector.readJson(path))])
  const given: [string, JsonRecord][] = inline === undefined ? [] : [['--settings', asObject(inline)]]
  return [...files.slice(0, MANAGED.length), ...given, ...files.slice(MANAGED.length)]
}

/** Switches that start it without hooks. */
const WITHOUT_HOOKS = /^--(?:bare|safe-mode)$/

function obstacle(place: ObstaclePlace): Obstacle | undefined {
  if (place.mode === 'unrestricted') return undefined
  const asks = "so it asks about gc's own commands"
  const bare = place.words.find((word) => WITHOUT_HOOKS.test(word))
  if (bare !== undefined) return { reason: `claude runs no hooks with ${bare}, ${asks}`, fix: `remove ${bare}` }
  const settings = settingsOf(place)
  for (const [key, among] of [
    ['disableAllHooks', settings],
    ['allowManagedHooksOnly', settings.slice(0, MANAGED.length)],
  ] as const) {
    const [from, found] = among.find(([, each]) => typeof each[key] === 'boolean') ?? []
    if (found?.[key] === true)
      return { reason: `claude runs no hooks of gc (${key} in ${from}), ${asks}`, fix: `remove ${key} from ${from}` }
  }
  return undefined
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
  obstacle,
  besideGc: PLUGIN_FILES,
  trust: () => ({ env: { CLAUDE_CODE_SANDBOXED: '1' } }),
}
