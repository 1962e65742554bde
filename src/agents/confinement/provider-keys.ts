import type { ProviderKey } from '../../host/protocol/proxy.ts'
import { asObject, isObject, type JsonRecord, parseJson } from '../../programs/entries/json.ts'
import { anthropicKey, bearer, googleKey, type KeyedApi, type KeyPlace } from './keyed-api.ts'
import { OPENCODE_PROVIDERS, type OpenCodeProvider } from './opencode-providers.ts'

/** The variable in which OpenCode takes configuration. */
const OPENCODE_CONFIG = 'OPENCODE_CONFIG_CONTENT'

/** The APIs that OpenCode calls with a key of its variables: those it knows, and those its configuration declares. */
function openCodeApis(variables: Readonly<Record<string, string | undefined>>): KeyedApi[] {
  const declared = asObject(asObject(parseJson(variables[OPENCODE_CONFIG] ?? '')).provider)
  const known = new Set(OPENCODE_PROVIDERS.map(({ id }) => id))
  const others = Object.entries(declared).filter(([id]) => !known.has(id))
  return [
    ...OPENCODE_PROVIDERS.map((provider) => apiOf(provider, asObject(declared[provider.id]))),
    ...others.flatMap(([id, provider], index) => declaredApi(id, `declared-${index}`, asObject(provider))),
  ]
}

/** A provider that OpenCode knows: what its configuration says of the address and the key goes first. */
function apiOf({ id, keys, usual, address, path = '' }: OpenCodeProvider, declared: JsonRecord): KeyedApi {
  const { baseURL, apiKey } = asObject(declared.options)
  const named = variableIn(apiKey)
  const [{ header, prefix }] = keys
  const own = named === undefined ? [] : [{ variable: named, header, ...(prefix !== undefined && { prefix }) }]
  const to = addressIn(baseURL)
  return {
    ...{ name: id, keys: [...own, ...keys], usual: to ?? usual, env: {} },
    ...(to === undefined && address !== undefined && { address }),
    config: leading(id, `{url:${id}}${to === undefined ? path : ''}`),
  }
}

/** A provider that the configuration declares, with the variable that has its key. */
function declaredApi(id: string, name: string, declared: JsonRecord): KeyedApi[] {
  const { baseURL, apiKey } = asObject(declared.options)
  const [usual, variable] = [addressIn(baseURL), variableIn(apiKey)]
  if (usual === undefined || variable === undefined) return []
  const key: KeyPlace = declared.npm === '@ai-sdk/anthropic' ? anthropicKey(variable) : bearer(variable)
  return [{ name, keys: [key], usual, env: {}, config: leading(id, `{url:${name}}`) }]
}

const leading = (id: string, baseURL: string) => ({ provider: { [id]: { options: { baseURL, apiKey: '{key}' } } } })

/** The variable that OpenCode puts in place of `{env:NAME}`. */
const variableIn = (text: unknown): string | undefined =>
  typeof text === 'string' ? /^\{env:(\w+)\}$/.exec(text)?.[1] : undefined

const addressIn = (text: unknown): string | undefined =>
  typeof text === 'string' && URL.canParse(text) ? text : undefined

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
  const configs: object[] = []
  for (const api of keyedApis(provider, variables)) {
    const found = api.keys.find(({ variable }) => variables[variable]?.trim())
    const value = found && variables[found.variable]?.trim()
    const url = (api.address && variables[api.address]?.trim()) || api.usual
    if (!found || !value || !isAddress(url)) continue
    kept.keys.push({ name: api.name, url, header: found.header, value: `${found.prefix ?? ''}${value}` })
    for (const { variable } of api.keys) kept.without.add(variable)
    for (const [name, text] of Object.entries(variables)) if (text?.includes(value)) kept.without.add(name)
    Object.assign(kept.env, api.env)
    kept.args.push(...(api.args ?? []))
    if (api.config) configs.push(api.config)
  }
  if (configs.length > 0) kept.env[OPENCODE_CONFIG] = configWith(configs, variables[OPENCODE_CONFIG], kept.keys)
  return kept
}

/** The configuration that was declared, without keys, and what leads the program to the proxy instead. */
function configWith(configs: readonly object[], declared: string | undefined, keys: readonly ProviderKey[]): string {
  const safe = keys.reduce(
    (text, { value }) => text.replaceAll(value.replace(/^Bearer /, ''), '{key}'),
    declared ?? '{}',
  )
  return JSON.stringify(configs.reduce<object>(merged, asObject(parseJson(safe))))
}

/** One object over another, and the objects in it likewise. */
function merged(lower: object, higher: object): object {
  const values = Object.entries(higher).map(([name, value]): [string, unknown] => {
    const below: unknown = Reflect.get(lower, name)
    return [name, isObject(below) && isObject(value) ? merged(below, value) : value]
  })
  return { ...lower, ...Object.fromEntries(values) }
}

const isAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

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
const keyedApis = (
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
