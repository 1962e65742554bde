import { join } from 'node:path'
import { sha256 } from '../../core/digest.ts'
import { renderValue } from '../../core/toml/index.ts'
import { asObject, asString, isObject } from '../entries/index.ts'
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
  select,
} from '../parts/index.ts'
import type { Obstacle, ObstaclePlace, ProgramPreset, ProtocolLaunch, ProtocolPlace } from '../program.ts'
import { PROTOCOL_ONLY, protocolPrefixes, quote } from '../protocol/index.ts'

export function codexCheck(inspector: Inspector): ProbeResult {
  const auth = inspector.readJson(join(inspector.env.CODEX_HOME || join(inspector.home, '.codex'), 'auth.json'))
  if (auth === undefined) return needsAuth('run `codex login`')
  if (!isObject(auth)) return invalid('~/.codex/auth.json is not JSON')
  if (auth.auth_mode !== 'chatgpt') return invalid('it is not logged in with a ChatGPT account')
  const tokens = asObject(auth.tokens)
  return asString(tokens.refresh_token) || asString(tokens.access_token) ? configured : needsAuth('run `codex login`')
}

const MODELS = ['gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna', 'gpt-5.5', 'gpt-5.3-codex', 'o3', 'o4-mini']

const options: ProviderOption[] = [
  permissions(
    'suggest',
    choice('suggest', 'Ask before anything', '--ask-for-approval', 'on-request', '--sandbox', 'read-only'),
    choice('auto-edit', 'Work in its folder', '--ask-for-approval', 'on-request', '--sandbox', 'workspace-write'),
    choice('unrestricted', 'No permission checks', '--dangerously-bypass-approvals-and-sandbox'),
  ),
  model(MODELS),
  passThrough('effort', 'Effort', ['low', 'medium', 'high', 'xhigh'], (value) => [
    '-c',
    `model_reasoning_effort=${value}`,
  ]),
  select(
    'sandbox',
    'Sandbox',
    '',
    choice('', 'Default'),
    choice('read-only', 'Read only', '--sandbox', 'read-only'),
    choice('network-off', 'No network', '-c', 'sandbox_workspace_write.network_access=false'),
  ),
]

/** The rules of a project; its repository may have others beside them. */
const RULES = '.codex/rules/gc.rules'

/**
 * A command that its rules allow runs outside of its sandbox, which has no network, and so reaches gc. Its rules match the
 * first words of a command only; with the variable gc itself refuses all that the protocol does not have behind them.
 */
function protocol({ gc, mode }: ProtocolPlace): ProtocolLaunch {
  if (mode === 'unrestricted') return {}
  const rules = protocolPrefixes().map(
    (words) =>
      `prefix_rule(pattern = ${JSON.stringify(words)}, decision = "allow", justification = "gc's own protocol")\n`,
  )
  return {
    args: ['-c', `shell_environment_policy.set.${PROTOCOL_ONLY}="1"`, ...hookArgs(gc)],
    env: { [PROTOCOL_ONLY]: '1' },
    files: [{ path: RULES, text: rules.join('') }],
  }
}

/**
 * The hook with which rules decide about a command in the folder that it runs in, which its dialogs do not show. It trusts a
 * hook of its command line with the hash that it makes of it; hooks in files stay as untrusted as they are.
 */
function hookArgs(gc: string): string[] {
  const hook = { async: false, command: `${PROTOCOL_ONLY}= ${quote(gc)} hook permission codex`, timeout: 10 }
  const [matcher, hooks] = ['^Bash$', [{ ...hook, type: 'command' }]]
  const hash = sha256(JSON.stringify({ event_name: 'permission_request', hooks, matcher }))
  const state = { '/<session-flags>/config.toml:permission_request:0:0': { trusted_hash: `sha256:${hash}` } }
  const config = { PermissionRequest: [{ matcher, hooks }], state }
  return Object.entries(config).flatMap(([key, value]) => ['-c', `hooks.${key}=${renderValue(value)}`])
}

/** Earlier versions start every command in a login shell, and `gc` is then on no PATH. */
const FIRST_VERSION = [0, 105, 0] as const

async function obstacle({ inspector, command }: ObstaclePlace): Promise<Obstacle | undefined> {
  const { stdout } = await inspector.run([...command, '--version'])
  const version = /(\d+)\.(\d+)\.(\d+)/.exec(stdout)
  if (!version) return undefined
  const parts = FIRST_VERSION.map((first, at) => Number(version[at + 1]) - first)
  if ((parts.find((part) => part !== 0) ?? 0) >= 0) return undefined
  return {
    reason: `Codex ${version[0]} is older than ${FIRST_VERSION.join('.')}, and its sessions cannot reach gc`,
    fix: `${INSTALL}@latest`,
  }
}

const INSTALL = npm('@openai/codex')

export const codexPreset: ProgramPreset = {
  provider: {
    displayName: 'Codex CLI',
    command: 'codex',
    // A server that its sessions share would run their commands with the environment of whichever came first.
    // A login shell would set the PATH anew, and `gc` would not be on it.
    args: ['-c', 'features.daemon_auto_start=false', '-c', 'allow_login_shell=false'],
    readyDelayMs: 3000,
    readyPromptPrefix: '› ',
    resumeFlag: 'resume',
    optionDefaults: { permission_mode: 'unrestricted', model: 'gpt-5.5', effort: 'xhigh' },
    optionsSchema: options,
  },
  install: INSTALL,
  login: 'codex login',
  probe: { check: codexCheck, displayName: 'Codex' },
  hosts: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  inherited: /^(?:OPENAI_|CODEX_HOME$)/,
  loginVariables: /^(?:OPENAI_|CODEX_)/,
  settings: ['.codex'],
  reviewedHooks: '.codex/hooks.json',
  protocol,
  obstacle,
  trust: (folder) => ({ args: ['-c', `projects={${JSON.stringify(folder)}={trust_level="trusted"}}`] }),
}
