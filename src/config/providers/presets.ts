import type { OptionChoice, ProviderConfig, ProviderOption } from '../declare/provider-config.ts'

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

const claudeOptions: ProviderOption[] = [
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

const codexOptions: ProviderOption[] = [
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

const geminiOptions: ProviderOption[] = [
  permissions(
    'default',
    choice('default', 'Ask', '--approval-mode', 'default'),
    choice('auto-edit', 'Edit without asking', '--approval-mode', 'auto_edit'),
    choice('plan', 'Plan only', '--approval-mode', 'plan'),
    choice('unrestricted', 'No permission checks', '--approval-mode', 'yolo'),
  ),
]

const grokOptions: ProviderOption[] = [
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

const antigravityOptions: ProviderOption[] = [
  permissions(
    'standard',
    choice('standard', 'Ask'),
    choice('accept-edits', 'Edit without asking', '--mode', 'accept-edits'),
    choice('plan', 'Plan only', '--mode', 'plan'),
    choice('unrestricted', 'No permission checks', '--dangerously-skip-permissions'),
  ),
]

const cursorOptions: ProviderOption[] = [
  select(
    'mcp_approval',
    'MCP servers',
    'prompt',
    choice('prompt', 'Ask'),
    choice('approve', 'Approve all', '--approve-mcps'),
  ),
]

const groqOptions: ProviderOption[] = [model(['groq/openai/gpt-oss-120b'])]
const cerebrasOptions: ProviderOption[] = [model(['cerebras/gpt-oss-120b'])]

/** A session that nobody watches has nobody to ask, so its tools run without asking. */
const OPENCODE_ENV = { OPENCODE_PERMISSION: '{"*":"allow"}' }

const opencode: ProviderConfig = {
  displayName: 'OpenCode',
  command: 'opencode',
  promptMode: 'flag',
  promptFlag: '--prompt',
  readyDelayMs: 8000,
  env: OPENCODE_ENV,
  supportsAcp: true,
  acpArgs: ['acp'],
  resumeFlag: '--session',
}

const onOpencode = (displayName: string, more: ProviderConfig): ProviderConfig => ({
  displayName,
  command: 'opencode',
  promptMode: 'none',
  readyDelayMs: 8000,
  env: OPENCODE_ENV,
  supportsAcp: true,
  acpArgs: ['acp'],
  ...more,
})

/** The agent programs we know, in the order in which they are listed. */
export const BUILTINS: ReadonlyMap<string, ProviderConfig> = new Map(
  Object.entries<ProviderConfig>({
    claude: {
      displayName: 'Claude Code',
      instructionsFile: 'CLAUDE.md',
      command: 'claude',
      readyDelayMs: 10000,
      readyPromptPrefix: '❯ ',
      supportsAcp: true,
      resumeFlag: '--resume',
      optionDefaults: { permission_mode: 'unrestricted', effort: 'max' },
      optionsSchema: claudeOptions,
    },
    codex: {
      displayName: 'Codex CLI',
      command: 'codex',
      // A server that its sessions share would run their commands with the environment of whichever came first.
      // A login shell would set the PATH anew, and `gc` would not be on it.
      args: ['-c', 'features.daemon_auto_start=false', '-c', 'allow_login_shell=false'],
      readyDelayMs: 3000,
      readyPromptPrefix: '› ',
      resumeFlag: 'resume',
      optionDefaults: { permission_mode: 'unrestricted', model: 'gpt-5.5', effort: 'xhigh' },
      optionsSchema: codexOptions,
    },
    gemini: {
      displayName: 'Gemini CLI',
      instructionsFile: 'GEMINI.md',
      command: 'gemini',
      readyDelayMs: 5000,
      readyPromptPrefix: '> ',
      resumeFlag: '--resume',
      optionDefaults: { permission_mode: 'unrestricted' },
      optionsSchema: geminiOptions,
    },
    grok: {
      displayName: 'Grok Build',
      command: 'grok',
      promptMode: 'none',
      readyDelayMs: 12000,
      resumeFlag: '--resume',
      optionDefaults: { permission_mode: 'unrestricted', model: 'grok-composer-2.5-fast' },
      optionsSchema: grokOptions,
    },
    kimi: {
      displayName: 'Kimi Code CLI',
      command: 'kimi',
      args: ['--yolo', '--no-thinking'],
      promptMode: 'none',
      readyDelayMs: 5000,
      supportsAcp: true,
      acpArgs: ['--yolo', '--no-thinking', 'acp'],
      resumeFlag: '--session',
    },
    kiro: {
      displayName: 'Kiro',
      command: 'kiro-cli',
      args: ['chat', '--no-interactive', '--agent', 'gascity', '--trust-all-tools'],
      readyDelayMs: 5000,
      supportsAcp: true,
      acpArgs: ['acp', '--agent', 'gascity'],
    },
    cursor: {
      displayName: 'Cursor Agent',
      command: 'cursor-agent',
      args: ['-f'],
      readyDelayMs: 10000,
      readyPromptPrefix: '→ ',
      resumeFlag: '--resume',
      optionsSchema: cursorOptions,
    },
    copilot: {
      displayName: 'GitHub Copilot',
      command: 'copilot',
      args: ['--yolo'],
      promptMode: 'none',
      readyDelayMs: 5000,
      readyPromptPrefix: '❯ ',
      resumeFlag: '--resume',
    },
    amp: {
      displayName: 'Sourcegraph AMP',
      command: 'amp',
      args: ['--dangerously-allow-all', '--no-ide'],
      resumeFlag: 'threads continue',
    },
    opencode,
    mimocode: {
      ...opencode,
      displayName: 'MiMo Code',
      command: 'mimo',
      args: ['--never-ask'],
      env: {},
    },
    groq: onOpencode('Groq (OpenCode)', {
      optionDefaults: { model: 'groq/openai/gpt-oss-120b' },
      optionsSchema: groqOptions,
    }),
    cerebras: onOpencode('Cerebras (OpenCode)', {
      optionDefaults: { model: 'cerebras/gpt-oss-120b' },
      optionsSchema: cerebrasOptions,
    }),
    auggie: {
      displayName: 'Auggie CLI',
      command: 'auggie',
      args: ['--allow-indexing'],
      resumeFlag: '--resume',
    },
    pi: {
      displayName: 'Pi Coding Agent',
      command: 'pi',
      args: ['-e', '.pi/extensions/gc-hooks.js'],
      readyDelayMs: 8000,
      resumeFlag: '--session',
    },
    omp: {
      displayName: 'Oh My Pi (OMP)',
      command: 'omp',
      args: ['--hook', '.omp/hooks/gc-hook.ts'],
      resumeFlag: '--resume',
    },
    antigravity: {
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
  }),
)
