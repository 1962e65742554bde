import {
  antigravityOptions,
  cerebrasOptions,
  claudeOptions,
  codexOptions,
  cursorOptions,
  geminiOptions,
  grokOptions,
  groqOptions,
} from './options.ts'
import type { ProviderConfig } from './provider.ts'

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
