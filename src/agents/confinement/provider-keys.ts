import type { ProviderKey } from '../../host/protocol/proxy.ts'

/** An API whose key stays with gc. */
interface KeyedApi {
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

/** The APIs of each built-in provider whose program can be led to another address. */
const APIS: Readonly<Record<string, readonly KeyedApi[]>> = { claude: [ANTHROPIC], codex: [OPENAI], gemini: [GEMINI] }

/** What a program is given in place of the keys of its provider, which its proxy has. */
export interface KeptKeys {
  keys: ProviderKey[]
  /** Variables that it is not given. */
  without: ReadonlySet<string>
  env: Record<string, string>
  args: string[]
}

/** Takes the keys of a provider out of the variables that its program would be given. */
export function keepKeys(
  provider: string | undefined,
  variables: Readonly<Record<string, string | undefined>>,
): KeptKeys {
  const kept: KeptKeys & { without: Set<string> } = { keys: [], without: new Set(), env: {}, args: [] }
  for (const api of APIS[provider ?? ''] ?? []) {
    const found = api.keys.find(({ variable }) => variables[variable]?.trim())
    const value = found && variables[found.variable]?.trim()
    const url = (api.address && variables[api.address]?.trim()) || api.usual
    if (!found || !value || !isAddress(url)) continue
    kept.keys.push({ name: api.name, url, header: found.header, value: `${found.prefix ?? ''}${value}` })
    for (const { variable } of api.keys) kept.without.add(variable)
    for (const [name, text] of Object.entries(variables)) if (text?.includes(value)) kept.without.add(name)
    Object.assign(kept.env, api.env)
    kept.args.push(...(api.args ?? []))
  }
  return kept
}

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
