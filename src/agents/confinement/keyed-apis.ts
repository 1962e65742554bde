import { anthropicKey, bearer, googleKey, type KeyedApi } from './keyed-api.ts'
import { openCodeApis } from './opencode-apis.ts'

const ANTHROPIC: KeyedApi = {
  name: 'anthropic',
  keys: [anthropicKey('ANTHROPIC_API_KEY'), bearer('ANTHROPIC_AUTH_TOKEN')],
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
  keys: [googleKey('GEMINI_API_KEY'), googleKey('GOOGLE_API_KEY')],
  address: 'GOOGLE_GEMINI_BASE_URL',
  usual: 'https://generativelanguage.googleapis.com',
  env: { GEMINI_API_KEY: '{key}', GOOGLE_GEMINI_BASE_URL: '{url:gemini}' },
}

/** The APIs of a built-in provider whose program can be led to another address; `variables` are those of its program. */
export const keyedApis = (
  provider: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): readonly KeyedApi[] => APIS[provider ?? '']?.(variables) ?? []

const APIS: Readonly<Record<string, typeof openCodeApis>> = {
  claude: () => [ANTHROPIC],
  codex: () => [OPENAI],
  gemini: () => [GEMINI],
  opencode: openCodeApis,
  groq: openCodeApis,
  cerebras: openCodeApis,
}
