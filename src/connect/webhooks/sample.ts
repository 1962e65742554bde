import { parsePayloadTemplate } from '../../config/webhooks/payload-template.ts'
import type { WebhookRuleConfig } from '../../config/webhooks/webhook.ts'

type Json = Record<string, unknown>

/** A payload that a rule fits: what it matches, and something at every path that its arguments take. */
export function samplePayload(rule: WebhookRuleConfig | undefined, id: string): Json {
  const payload: Json = { gc_test: id }
  for (const template of Object.values(rule?.args ?? {})) {
    for (const part of parsePayloadTemplate(template)) if (typeof part !== 'string') put(payload, part.path, 'sample')
  }
  for (const [path, text] of Object.entries(rule?.match ?? {})) put(payload, path, text)
  return payload
}

/** Sets a value at a dotted path, where numbers count the entries of a list. */
function put(payload: Json, path: string, value: string): void {
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  let at: object = payload
  for (const [index, key] of keys.entries()) {
    const existing: unknown = Reflect.get(at, key)
    const isList = /^\d+$/.test(keys[index + 1] ?? last)
    const next = typeof existing === 'object' && existing !== null ? existing : isList ? [] : {}
    if (next !== existing) Object.defineProperty(at, key, { value: next, ...OWN })
    at = next
  }
  if (typeof Reflect.get(at, last) !== 'object') Object.defineProperty(at, last, { value, ...OWN })
}

/** A path may hold a name such as `__proto__`, which is only a key here. */
const OWN = { enumerable: true, configurable: true, writable: true }
