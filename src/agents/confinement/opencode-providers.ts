import { anthropicKey, bearer, googleKey, type KeyPlace } from './keyed-api.ts'

/** A provider of models as OpenCode knows it: how its key is found, and where it is. */
export interface OpenCodeProvider {
  id: string
  keys: readonly [KeyPlace, ...KeyPlace[]]
  usual: string
  /** The variable that leads to another address. */
  address?: string
  /** What OpenCode expects behind that address. */
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
export const OPENCODE_PROVIDERS: readonly OpenCodeProvider[] = [
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
  ...WITH_BEARER.map(([id, variable, usual]): OpenCodeProvider => ({ id, keys: [bearer(variable)], usual })),
  ...LIKE_ANTHROPIC.map(([id, variable, usual]): OpenCodeProvider => ({ id, keys: [anthropicKey(variable)], usual })),
]
