import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import type { TempFolder } from '../../support/folder.ts'
import type { ModelServer, Reply } from './model-server.ts'
import { installed, opencodeEnv, opencodePath } from './opencode.ts'

/** The command that starts gc: the binary of `GC_BINARY`, else its sources. */
export const GC: readonly string[] = process.env.GC_BINARY
  ? [resolve(process.env.GC_BINARY)]
  : [process.execPath, join(import.meta.dir, '../../../cli/main.ts')]

/** An agent program from npm, configured to use one model only and to write nothing outside its folder. */
export interface Program {
  /** The name of its builtin provider. */
  readonly provider: string
  readonly command: string
  readonly args?: readonly string[]
  /** Additional provider settings. */
  readonly more?: string
  /** Prepares its home folder and returns its environment. */
  env(folder: Pick<TempFolder, 'at'>, model: ModelServer, works: readonly string[]): Record<string, string>
  /** The prompt that makes it run a command. */
  shell(command: string): Reply
}

const write = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

const AUTHOR = {
  GIT_AUTHOR_NAME: 'Worker',
  GIT_AUTHOR_EMAIL: 'worker@example.com',
  GIT_COMMITTER_NAME: 'Worker',
  GIT_COMMITTER_EMAIL: 'worker@example.com',
}

export const opencode: Program = {
  provider: 'opencode',
  get command() {
    return opencodePath()
  },
  env: (folder, model) => opencodeEnv(folder, model.url),
  shell: (command) => ({ tool: 'bash', input: { command, description: 'Work' } }),
}

const codexConfig = (url: string, works: readonly string[]): string => `
model = "gpt-5.5"
model_provider = "scripted"
check_for_update_on_startup = false
[model_providers.scripted]
name = "Scripted"
base_url = "${url}"
wire_api = "responses"
[analytics]
enabled = false
[tui]
animations = false
[notice.model_migrations]
"gpt-5.5" = "gpt-6-sol"
${works.map((path) => `[projects.${JSON.stringify(path)}]\ntrust_level = "trusted"\n`).join('')}`

export const codex: Program = {
  provider: 'codex',
  get command() {
    return installed('@openai/codex-linux-x64/vendor/x86_64-unknown-linux-musl/bin/codex')
  },
  env(folder, model, works) {
    const home = folder.at('home')
    write(join(home, '.codex', 'config.toml'), codexConfig(model.url, works))
    return { ...AUTHOR, HOME: home }
  },
  shell: (command) => ({ tool: 'exec_command', input: { cmd: command } }),
}

export const gemini: Program = {
  provider: 'gemini',
  get command() {
    return `node '${installed('@google/gemini-cli/bundle/gemini.js')}'`
  },
  args: ['--model', 'gemini-2.5-pro'],
  more: 'supports_acp = true\nacp_args = ["--acp", "--model", "gemini-2.5-pro"]',
  env(folder, model) {
    const home = folder.at('home')
    const settings = {
      security: { auth: { selectedType: 'gemini-api-key' }, folderTrust: { enabled: false } },
      general: { enableAutoUpdate: false, enableAutoUpdateNotification: false },
      privacy: { usageStatisticsEnabled: false },
      // A scripted model repeats itself.
      model: { disableLoopDetection: true },
    }
    write(join(home, '.gemini', 'settings.json'), JSON.stringify(settings))
    return {
      ...AUTHOR,
      HOME: home,
      GEMINI_API_KEY: 'none',
      GOOGLE_GEMINI_BASE_URL: model.origin,
      COLORTERM: 'truecolor',
    }
  },
  shell: (command) => ({ tool: 'run_shell_command', input: { command, description: 'Work' } }),
}

export const claude: Program = {
  provider: 'claude',
  get command() {
    return installed('@anthropic-ai/claude-code-linux-x64/claude')
  },
  env(folder, model, works) {
    const home = folder.at('home')
    const projects = Object.fromEntries(works.map((path) => [path, { hasTrustDialogAccepted: true }]))
    const seen = { hasCompletedOnboarding: true, theme: 'dark', bypassPermissionsModeAccepted: true, projects }
    write(join(home, '.claude.json'), JSON.stringify(seen))
    return {
      ...{ ...AUTHOR, HOME: home, ANTHROPIC_BASE_URL: model.origin, ANTHROPIC_AUTH_TOKEN: 'none' },
      ...{ DISABLE_AUTOUPDATER: '1', CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1' },
      // As root it skips permission prompts only where it is told that it is in a sandbox.
      IS_SANDBOX: '1',
    }
  },
  shell: (command) => ({ tool: 'Bash', input: { command, description: 'Work' } }),
}

/** The permission modes in which `protocol.test.ts` has programs work: those that ask about other commands, and those that do not. */
export const WORKED_MODES = {
  asking: { claude: ['ask', 'auto-edit', 'plan'], gemini: ['default', 'auto-edit'] },
  silent: { claude: ['full-auto'], gemini: ['plan'] },
  sandboxed: { codex: ['suggest', 'auto-edit'] },
} as const
