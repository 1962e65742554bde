import type { OptionChoice, ProviderOption } from './provider.ts'

const choice = (value: string, label: string, ...flagArgs: string[]): OptionChoice => ({ value, label, flagArgs })

const select = (key: string, label: string, defaultValue: string, ...choices: OptionChoice[]): ProviderOption => ({
  key,
  label,
  type: 'select',
  default: defaultValue,
  choices,
})

/** An option whose values are passed on as they are, after one flag; '' leaves the program's own default. */
const passThrough = (key: string, label: string, values: readonly string[], args: (value: string) => string[]) =>
  select(key, label, '', choice('', 'Default'), ...values.map((value) => choice(value, value, ...args(value))))

const permissions = (defaultValue: string, ...choices: OptionChoice[]): ProviderOption =>
  select('permission_mode', 'Permission mode', defaultValue, ...choices)

const model = (values: readonly string[], args = (value: string) => ['--model', value]): ProviderOption =>
  passThrough('model', 'Model', values, args)

const CLAUDE_MODELS = ['fable-5', 'opus', 'opus-5', 'opus-4-7', 'sonnet', 'sonnet-5', 'sonnet-4-6', 'haiku']
const CODEX_MODELS = ['gpt-5.6-sol', 'gpt-5.6-terra', 'gpt-5.6-luna', 'gpt-5.5', 'gpt-5.3-codex', 'o3', 'o4-mini']

/** Claude knows its families by bare name and everything else by its full one. */
const claudeModel = (value: string): string => (value.includes('-') ? `claude-${value}` : value)

export const claudeOptions: ProviderOption[] = [
  permissions(
    'auto-edit',
    choice('ask', 'Ask', '--permission-mode', 'default'),
    choice('auto-edit', 'Edit without asking', '--permission-mode', 'acceptEdits'),
    choice('full-auto', 'Never ask', '--permission-mode', 'dontAsk'),
    choice('plan', 'Plan only', '--permission-mode', 'plan'),
    choice('unrestricted', 'No permission checks', '--dangerously-skip-permissions'),
  ),
  passThrough('effort', 'Effort', ['low', 'medium', 'high', 'xhigh', 'max'], (value) => ['--effort', value]),
  model(CLAUDE_MODELS, (value) => ['--model', claudeModel(value)]),
]

export const codexOptions: ProviderOption[] = [
  permissions(
    'suggest',
    choice('suggest', 'Ask before anything', '--ask-for-approval', 'on-request', '--sandbox', 'read-only'),
    choice('auto-edit', 'Work in its folder', '--ask-for-approval', 'on-request', '--sandbox', 'workspace-write'),
    choice('unrestricted', 'No permission checks', '--dangerously-bypass-approvals-and-sandbox'),
  ),
  model(CODEX_MODELS),
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

export const geminiOptions: ProviderOption[] = [
  permissions(
    'default',
    choice('default', 'Ask', '--approval-mode', 'default'),
    choice('auto-edit', 'Edit without asking', '--approval-mode', 'auto_edit'),
    choice('plan', 'Plan only', '--approval-mode', 'plan'),
    choice('unrestricted', 'No permission checks', '--approval-mode', 'yolo'),
  ),
]

export const grokOptions: ProviderOption[] = [
  permissions(
    'default',
    choice('default', 'Ask', '--permission-mode', 'default'),
    choice('auto-edit', 'Edit without asking', '--permission-mode', 'acceptEdits'),
    choice('plan', 'Plan only', '--permission-mode', 'plan'),
    choice('full-auto', 'Never ask', '--permission-mode', 'dontAsk'),
    choice('unrestricted', 'No permission checks', '--permission-mode', 'bypassPermissions'),
  ),
  model(['grok-composer-2.5-fast']),
]

export const antigravityOptions: ProviderOption[] = [
  permissions(
    'standard',
    choice('standard', 'Ask'),
    choice('accept-edits', 'Edit without asking', '--mode', 'accept-edits'),
    choice('plan', 'Plan only', '--mode', 'plan'),
    choice('unrestricted', 'No permission checks', '--dangerously-skip-permissions'),
  ),
]

export const cursorOptions: ProviderOption[] = [
  select(
    'mcp_approval',
    'MCP servers',
    'prompt',
    choice('prompt', 'Ask'),
    choice('approve', 'Approve all', '--approve-mcps'),
  ),
]

export const groqOptions: ProviderOption[] = [model(['groq/openai/gpt-oss-120b'])]
export const cerebrasOptions: ProviderOption[] = [model(['cerebras/gpt-oss-120b'])]
