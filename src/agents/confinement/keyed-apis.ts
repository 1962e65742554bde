/** An API whose key stays with gc. */
export interface KeyedApi {
  name: string
  /** Where keys are found, the first that is there, and the header each of them goes into. */
  keys: readonly { variable: string; header: string; prefix?: string }[]
  /** The variable that leads to another address than the usual one. */
  address?: string
  usual: string
  /** What the program is given instead. */
  env: Readonly<Record<string, string>>
  /** Arguments of the program, behind the words of its command. */
  args?: readonly string[]
  /** What is added to the configuration of a program that has no such variables: for OpenCode, as it takes it in a variable. */
  config?: Readonly<Record<string, unknown>>
}

const bearer = (variable: string) => ({ variable, header: 'authorization', prefix: 'Bearer ' })

const ANTHROPIC: KeyedApi = {
  name: 'anthropic',
  keys: [{ variable: 'ANTHROPIC_API_KEY', header: 'x-api-key' }, bearer('ANTHROPIC_AUTH_TOKEN')],
  address: 'ANTHROPIC_BASE_URL',
  usual: 'https://api.anthropic.com',
  // With an API key the program asks a person whether to use it.
  env: { ANTHROPIC_BASE_URL: '{url:anthropic}', ANTHROPIC_AUTH_TOKEN: '{key}' },
}

const OPENAI: KeyedApi = {
  name: 'openai',
  keys: [bearer('OPENAI_API_KEY'), bearer('CODEX_API_KEY')],
  address: 'OPENAI_BASE_URL',
  usual: 'https://api.openai.com/v1',
  env: { OPENAI_API_KEY: '{key}', OPENAI_BASE_URL: '{url:openai}' },
  args: [
    ...['-c', 'model_provider="gc"', '-c', 'model_providers.gc.name="OpenAI"'],
    ...['-c', 'model_providers.gc.base_url="{url:openai}"', '-c', 'model_providers.gc.env_key="OPENAI_API_KEY"'],
    ...['-c', 'model_providers.gc.wire_api="responses"'],
  ],
}

const GEMINI: KeyedApi = {
  name: 'gemini',
  keys: [
    { variable: 'GEMINI_API_KEY', header: 'x-goog-api-key' },
    { variable: 'GOOGLE_API_KEY', header: 'x-goog-api-key' },
  ],
  address: 'GOOGLE_GEMINI_BASE_URL',
  usual: 'https://generativelanguage.googleapis.com',
  env: { GEMINI_API_KEY: '{key}', GOOGLE_GEMINI_BASE_URL: '{url:gemini}' },
}

/** OpenCode knows many providers, each by the key in its own variable and led elsewhere by its configuration only. */
const inOpenCode = (
  id: string,
  { keys, usual, address, path }: Pick<KeyedApi, 'keys' | 'usual' | 'address'> & { path: string },
): KeyedApi => ({
  ...{ name: id, keys, usual, env: {} },
  ...(address !== undefined && { address }),
  config: { provider: { [id]: { options: { baseURL: `{url:${id}}${path}`, apiKey: '{key}' } } } },
})

const OPENCODE: readonly KeyedApi[] = [
  inOpenCode('anthropic', { ...ANTHROPIC, keys: ANTHROPIC.keys.slice(0, 1), path: '/v1' }),
  inOpenCode('openai', { ...OPENAI, keys: OPENAI.keys.slice(0, 1), path: '' }),
  inOpenCode('google', {
    ...GEMINI,
    keys: [{ variable: 'GOOGLE_GENERATIVE_AI_API_KEY', header: 'x-goog-api-key' }, ...GEMINI.keys],
    path: '/v1beta',
  }),
  inOpenCode('openrouter', { keys: [bearer('OPENROUTER_API_KEY')], usual: 'https://openrouter.ai/api/v1', path: '' }),
  inOpenCode('groq', { keys: [bearer('GROQ_API_KEY')], usual: 'https://api.groq.com/openai/v1', path: '' }),
  inOpenCode('cerebras', { keys: [bearer('CEREBRAS_API_KEY')], usual: 'https://api.cerebras.ai/v1', path: '' }),
]

/** The APIs of a built-in provider whose program can be led to another address. */
export const keyedApis = (provider: string | undefined): readonly KeyedApi[] => APIS[provider ?? ''] ?? []

const APIS: Readonly<Record<string, readonly KeyedApi[]>> = {
  claude: [ANTHROPIC],
  codex: [OPENAI],
  gemini: [GEMINI],
  opencode: OPENCODE,
  groq: OPENCODE,
  cerebras: OPENCODE,
}
