import {
  choice,
  commonServer,
  model,
  npm,
  type ProviderOption,
  permissions,
  script,
  select,
  serverSettings,
} from './parts/index.ts'
import type { ProgramPreset, ProgramRuntime } from './program.ts'

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

const cursorOptions: ProviderOption[] = [
  select(
    'mcp_approval',
    'MCP servers',
    'prompt',
    choice('prompt', 'Ask'),
    choice('approve', 'Approve all', '--approve-mcps'),
  ),
]

/** Programs that gc can start, and of whose screens and logs it knows nothing. */
export const GENERIC = {
  grok: {
    provider: {
      displayName: 'Grok Build',
      command: 'grok',
      promptMode: 'none',
      readyDelayMs: 12000,
      resumeFlag: '--resume',
      optionDefaults: { permission_mode: 'unrestricted', model: 'grok-composer-2.5-fast' },
      optionsSchema: grokOptions,
    },
    install: script('https://x.ai/cli/install.sh'),
    login: 'grok login',
    hosts: ['api.x.ai', 'accounts.x.ai'],
    inherited: /^XAI_/,
  },
  kimi: {
    provider: {
      displayName: 'Kimi Code CLI',
      command: 'kimi',
      args: ['--yolo', '--no-thinking'],
      promptMode: 'none',
      readyDelayMs: 5000,
      supportsAcp: true,
      acpArgs: ['--yolo', '--no-thinking', 'acp'],
      resumeFlag: '--session',
    },
    install: 'uv tool install kimi-cli',
    login: 'kimi, then /login',
    hosts: ['api.moonshot.ai', 'api.moonshot.cn', 'api.kimi.com'],
    inherited: /^KIMI_/,
  },
  kiro: {
    provider: {
      displayName: 'Kiro',
      command: 'kiro-cli',
      args: ['chat', '--no-interactive', '--agent', 'gascity', '--trust-all-tools'],
      readyDelayMs: 5000,
      supportsAcp: true,
      acpArgs: ['acp', '--agent', 'gascity'],
    },
    install: script('https://cli.kiro.dev/install'),
    login: 'kiro-cli login',
    inherited: /^KIRO_/,
  },
  cursor: {
    provider: {
      displayName: 'Cursor Agent',
      command: 'cursor-agent',
      args: ['-f'],
      readyDelayMs: 10000,
      readyPromptPrefix: '→ ',
      resumeFlag: '--resume',
      optionsSchema: cursorOptions,
    },
    install: script('https://cursor.com/install'),
    login: 'cursor-agent login',
    hosts: ['*.cursor.sh', 'cursor.com'],
    inherited: /^CURSOR_/,
  },
  copilot: {
    provider: {
      displayName: 'GitHub Copilot',
      command: 'copilot',
      args: ['--yolo'],
      promptMode: 'none',
      readyDelayMs: 5000,
      readyPromptPrefix: '❯ ',
      resumeFlag: '--resume',
    },
    install: npm('@github/copilot'),
    login: 'copilot, then /login',
    hosts: ['api.github.com', '*.githubcopilot.com'],
    inherited: /^COPILOT_/,
  },
  amp: {
    provider: {
      displayName: 'Sourcegraph AMP',
      command: 'amp',
      args: ['--dangerously-allow-all', '--no-ide'],
      resumeFlag: 'threads continue',
    },
    install: npm('@ampcode/cli'),
    login: 'amp login',
    hosts: ['ampcode.com'],
    inherited: /^AMP_/,
  },
  auggie: {
    provider: {
      displayName: 'Auggie CLI',
      command: 'auggie',
      args: ['--allow-indexing'],
      resumeFlag: '--resume',
    },
    install: npm('@augmentcode/auggie'),
    login: 'auggie login',
    hosts: ['*.augmentcode.com'],
  },
  pi: {
    provider: {
      displayName: 'Pi Coding Agent',
      command: 'pi',
      args: ['-e', '.pi/extensions/gc-hooks.js'],
      readyDelayMs: 8000,
      resumeFlag: '--session',
    },
    install: npm('@mariozechner/pi-coding-agent'),
    login: 'pi, then /login',
    loggedIn: { files: ['.pi/agent/auth.json'], otherwise: 'run `pi` and log in' },
  },
  omp: {
    provider: {
      displayName: 'Oh My Pi (OMP)',
      command: 'omp',
      args: ['--hook', '.omp/hooks/gc-hook.ts'],
      resumeFlag: '--resume',
    },
    install: npm('@oh-my-pi/pi-coding-agent'),
    login: 'omp, then /login',
  },
} satisfies Record<string, ProgramPreset>

export const GENERIC_RUNTIMES: Readonly<Record<string, ProgramRuntime>> = {
  cursor: {
    shared: [{ path: '.cursor/hooks.json' }],
    mcp: (servers, isSecret) => [
      serverSettings({ path: '.cursor/mcp.json', key: 'mcpServers', isSecret }, servers, commonServer),
    ],
  },
  copilot: { shared: [{ path: '.github/hooks/gascity.json' }] },
}
