import { asObject, type JsonRecord, parseJson } from '../entries/index.ts'
import { anthropicKey, bearer, googleKey, type KeyedApi, type KeyPlace } from '../parts/index.ts'
import type { ProgramConfinement } from '../program.ts'

/** A provider of models as OpenCode knows it: how its key is found, and where it is. */
interface ModelProvider {
  id: string
  keys: readonly [KeyPlace, ...KeyPlace[]]
  usual: string
  /** The variable that leads to another address. */
  address?: string
  /** The path that OpenCode expects behind that address. */
  path?: string
}

/** Providers that take a key as `Authorization: Bearer`. One key can be for several, of which the model's name says which. */
const WITH_BEARER: readonly (readonly [id: string, variable: string, usual: string])[] = [
  ['alibaba', 'DASHSCOPE_API_KEY', 'https://dashscope-intl.aliyuncs.com/compatible-mode/v1'],
  ['alibaba-cn', 'DASHSCOPE_API_KEY', 'https://dashscope.aliyuncs.com/compatible-mode/v1'],
  ['baseten', 'BASETEN_API_KEY', 'https://inference.baseten.co/v1'],
  ['cerebras', 'CEREBRAS_API_KEY', 'https://api.cerebras.ai/v1'],
  ['chutes', 'CHUTES_API_KEY', 'https://llm.chutes.ai/v1'],
  ['cohere', 'COHERE_API_KEY', 'https://api.cohere.com/v2'],
  ['deepinfra', 'DEEPINFRA_API_KEY', 'https://api.deepinfra.com/v1'],
  ['deepseek', 'DEEPSEEK_API_KEY', 'https://api.deepseek.com'],
  ['fireworks-ai', 'FIREWORKS_API_KEY', 'https://api.fireworks.ai/inference/v1'],
  ['friendli', 'FRIENDLI_TOKEN', 'https://api.friendli.ai/serverless/v1'],
  ['groq', 'GROQ_API_KEY', 'https://api.groq.com/openai/v1'],
  ['helicone', 'HELICONE_API_KEY', 'https://ai-gateway.helicone.ai/v1'],
  ['huggingface', 'HF_TOKEN', 'https://router.huggingface.co/v1'],
  ['llama', 'LLAMA_API_KEY', 'https://api.llama.com/compat/v1'],
  ['mistral', 'MISTRAL_API_KEY', 'https://api.mistral.ai/v1'],
  ['moonshotai', 'MOONSHOT_API_KEY', 'https://api.moonshot.ai/v1'],
  ['moonshotai-cn', 'MOONSHOT_API_KEY', 'https://api.moonshot.cn/v1'],
  ['nebius', 'NEBIUS_API_KEY', 'https://api.tokenfactory.nebius.com/v1'],
  ['novita-ai', 'NOVITA_API_KEY', 'https://api.novita.ai/openai'],
  ['nvidia', 'NVIDIA_API_KEY', 'https://integrate.api.nvidia.com/v1'],
  ['ollama-cloud', 'OLLAMA_API_KEY', 'https://ollama.com/v1'],
  ['opencode', 'OPENCODE_API_KEY', 'https://opencode.ai/zen/v1'],
  ['opencode-go', 'OPENCODE_API_KEY', 'https://opencode.ai/zen/go/v1'],
  ['openrouter', 'OPENROUTER_API_KEY', 'https://openrouter.ai/api/v1'],
  ['perplexity', 'PERPLEXITY_API_KEY', 'https://api.perplexity.ai'],
  ['requesty', 'REQUESTY_API_KEY', 'https://router.requesty.ai/v1'],
  ['scaleway', 'SCALEWAY_API_KEY', 'https://api.scaleway.ai/v1'],
  ['siliconflow', 'SILICONFLOW_API_KEY', 'https://api.siliconflow.com/v1'],
  ['synthetic', 'SYNTHETIC_API_KEY', 'https://api.synthetic.new/openai/v1'],
  ['togetherai', 'TOGETHER_API_KEY', 'https://api.together.xyz/v1'],
  ['upstage', 'UPSTAGE_API_KEY', 'https://api.upstage.ai/v1/solar'],
  ['xai', 'XAI_API_KEY', 'https://api.x.ai/v1'],
  ['zai', 'ZHIPU_API_KEY', 'https://api.z.ai/api/paas/v4'],
  ['zai-coding-plan', 'ZHIPU_API_KEY', 'https://api.z.ai/api/coding/paas/v4'],
  ['zhipuai', 'ZHIPU_API_KEY', 'https://open.bigmodel.cn/api/paas/v4'],
  ['zhipuai-coding-plan', 'ZHIPU_API_KEY', 'https://open.bigmodel.cn/api/coding/paas/v4'],
]

/** Providers that speak as Anthropic does, and take a key as it does. */
const LIKE_ANTHROPIC: typeof WITH_BEARER = [
  ['kimi-for-coding', 'KIMI_API_KEY', 'https://api.kimi.com/coding/v1'],
  ['minimax', 'MINIMAX_API_KEY', 'https://api.minimax.io/anthropic/v1'],
  ['minimax-cn', 'MINIMAX_API_KEY', 'https://api.minimaxi.com/anthropic/v1'],
]

/** The providers of OpenCode whose keys gc can keep. */
const PROVIDERS: readonly ModelProvider[] = [
  {
    id: 'anthropic',
    keys: [anthropicKey('ANTHROPIC_API_KEY')],
    ...{ usual: 'https://api.anthropic.com', address: 'ANTHROPIC_BASE_URL', path: '/v1' },
  },
  {
    id: 'openai',
    keys: [bearer('OPENAI_API_KEY')],
    ...{ usual: 'https://api.openai.com/v1', address: 'OPENAI_BASE_URL' },
  },
  {
    id: 'google',
    keys: [googleKey('GOOGLE_GENERATIVE_AI_API_KEY'), googleKey('GEMINI_API_KEY'), googleKey('GOOGLE_API_KEY')],
    ...{ usual: 'https://generativelanguage.googleapis.com', address: 'GOOGLE_GEMINI_BASE_URL', path: '/v1beta' },
  },
  ...WITH_BEARER.map(([id, variable, usual]): ModelProvider => ({ id, keys: [bearer(variable)], usual })),
  ...LIKE_ANTHROPIC.map(([id, variable, usual]): ModelProvider => ({ id, keys: [anthropicKey(variable)], usual })),
]

/** The variable in which OpenCode takes configuration. */
const CONFIG = 'OPENCODE_CONFIG_CONTENT'

/** The APIs that OpenCode calls with a key of its variables: those it knows, and those its configuration declares. */
function apis(variables: Readonly<Record<string, string | undefined>>): KeyedApi[] {
  const declared = asObject(asObject(parseJson(variables[CONFIG] ?? '')).provider)
  const known = new Set(PROVIDERS.map(({ id }) => id))
  const others = Object.entries(declared).filter(([id]) => !known.has(id))
  return [
    ...PROVIDERS.map((provider) => apiOf(provider, asObject(declared[provider.id]))),
    ...others.flatMap(([id, provider], index) => declaredApi(id, `declared-${index}`, asObject(provider))),
  ]
}

/** A provider that OpenCode knows: what its configuration says of the address and the key goes first. */
function apiOf({ id, keys, usual, address, path = '' }: ModelProvider, declared: JsonRecord): KeyedApi {
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

/** OpenCode with a model of one provider. */
export const withModelConfinement: ProgramConfinement = { keys: apis, configVariable: CONFIG }

export const opencodeConfinement: ProgramConfinement = {
  ...withModelConfinement,
  storedKeys: (stored) =>
    Object.fromEntries(
      PROVIDERS.flatMap(({ id, keys: [{ variable }] }) => {
        const { type, key } = asObject(stored[id])
        return type === 'api' && typeof key === 'string' ? [[variable, key]] : []
      }),
    ),
}
