import { asObject, type JsonRecord, parseJson } from '../conversations/entries/json.ts'
import { anthropicKey, bearer, type KeyedApi, type KeyPlace } from './keyed-api.ts'
import { OPENCODE_PROVIDERS, type OpenCodeProvider } from './opencode-providers.ts'

/** The variable in which OpenCode takes configuration. */
export const OPENCODE_CONFIG = 'OPENCODE_CONFIG_CONTENT'

/** The APIs that OpenCode calls with a key of its variables: those it knows, and those its configuration declares. */
export function openCodeApis(variables: Readonly<Record<string, string | undefined>>): KeyedApi[] {
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
