import type { DeclaredBlock } from '../declare/index.ts'
import type { SCHEMES } from './fields.ts'

/** `[[webhook]]`: an address to which another service delivers what happens there. */
export interface WebhookConfig {
  /** The last segment of its address. */
  readonly name: string
  /** Reason it takes no deliveries: what is wrong in the pack that declares it. */
  readonly broken?: string
  /** The rig whose orders its rules start, unless a rule names another. */
  readonly rig?: string
  /** Only public ones are reached from other machines without `X-GC-Request`. */
  readonly visibility: 'private' | 'tenant' | 'public'
  /** True if a pack asked for `public` and the city does not allow it. */
  readonly isCapped: boolean
  readonly hostname?: string
  readonly rate: WebhookRate
  /** True if a proxy says, in `X-Forwarded-For`, where deliveries come from. */
  readonly isBehindProxy: boolean
  readonly verify: WebhookVerifyConfig
  readonly rules: readonly WebhookRuleConfig[]
  readonly block: DeclaredBlock
}

/** Number of deliveries that are looked at: `perMinute` on average, and `burst` immediately. */
export interface WebhookRate {
  readonly perMinute: number
  readonly burst: number
}

export type WebhookScheme = (typeof SCHEMES)[number]

/** `[webhook.verify]`: headers in lower case, durations in milliseconds. */
export interface WebhookVerifyConfig {
  readonly scheme: WebhookScheme
  /** The variable of the supervisor's environment that holds the secret, or the public key of Discord. */
  readonly secretEnv?: string
  /** Key of the secret, if the variable is a JSON object of several. */
  readonly secretKey?: string
  readonly signatureHeader?: string
  readonly eventHeader?: string
  readonly dedupHeader?: string
  readonly timestampHeader?: string
  readonly replayWindow: number
  readonly issuer?: string
  readonly jwksUrl?: string
  readonly audience?: string
  readonly bearerEnv?: string
  /** The networks that deliveries come from; all when empty. */
  readonly allowedCidrs: readonly string[]
}

/** `[[webhook.rule]]`: what follows from a delivery. */
export interface WebhookRuleConfig {
  readonly event?: string
  /** The text that each path of the payload must have. */
  readonly match: Readonly<Record<string, string>>
  readonly target: 'order' | 'conversation'
  readonly order?: string
  readonly rig?: string
  /** Texts with `{{path}}` of the payload. */
  readonly args: Readonly<Record<string, string>>
}

/** A part of a template: text as it stands, or the path of a value in the payload. */
export type TemplatePart = string | { readonly path: string }

const PLACEHOLDER = /\{\{\s*(?:payload\.)?([\w$-]+(?:\.[\w$-]+)*)\s*\}\}/g

/** The parts of a text with placeholders such as `{{pull_request.number}}`; throws a sentence for one that cannot be read. */
export function parsePayloadTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = []
  let end = 0
  for (const match of text.matchAll(PLACEHOLDER)) {
    parts.push(plain(text.slice(end, match.index)), { path: match[1] ?? '' })
    end = match.index + match[0].length
  }
  parts.push(plain(text.slice(end)))
  return parts.filter((part) => part !== '')
}

function plain(text: string): string {
  const at = text.indexOf('{{')
  if (at < 0) return text
  throw new Error(`"${text.slice(at, at + 60)}" is not a placeholder such as {{repository.full_name}}`)
}
