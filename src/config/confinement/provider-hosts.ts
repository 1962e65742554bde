/** What the programs of built-in providers call: their models, their logins. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  claude: ['api.anthropic.com', 'console.anthropic.com', 'platform.claude.com', 'claude.ai'],
  codex: ['api.openai.com', 'chatgpt.com', 'auth.openai.com'],
  gemini: [
    ...['generativelanguage.googleapis.com', 'cloudcode-pa.googleapis.com', 'oauth2.googleapis.com'],
    ...['accounts.google.com', 'www.googleapis.com'],
  ],
  grok: ['api.x.ai', 'accounts.x.ai'],
  kimi: ['api.moonshot.ai', 'api.moonshot.cn', 'api.kimi.com'],
  cursor: ['*.cursor.sh', 'cursor.com'],
  copilot: ['api.github.com', '*.githubcopilot.com'],
  amp: ['ampcode.com'],
  opencode: ['models.dev', 'opencode.ai', 'models.opencode.ai', 'api.anthropic.com', 'api.openai.com', 'openrouter.ai'],
  groq: ['models.dev', 'opencode.ai', 'models.opencode.ai', 'api.groq.com'],
  cerebras: ['models.dev', 'opencode.ai', 'models.opencode.ai', 'api.cerebras.ai'],
  auggie: ['*.augmentcode.com'],
}

/** The hosts of a built-in provider; none of one that we know nothing about. */
export const providerHosts = (provider: string | undefined): readonly string[] => HOSTS[provider ?? ''] ?? []
