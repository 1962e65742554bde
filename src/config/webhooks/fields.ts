import {
  boolean,
  type Declaration,
  type FieldReader,
  integer,
  oneOf,
  requiredString,
  string,
  stringMap,
  strings,
  table,
  tables,
  type ValuesOf,
} from '../declare/index.ts'

/** Ways in which the sender of a delivery authenticates. */
export const SCHEMES = ['github-hmac-sha256', 'hmac-sha256', 'slack-v0', 'discord-ed25519', 'jwt-jwks'] as const

const scheme: FieldReader<(typeof SCHEMES)[number]> = {
  key: 'scheme',
  read: (section) => (section.requiredString('scheme') === undefined ? undefined : section.oneOf('scheme', SCHEMES)),
}

/** `[webhook.verify]`. */
export const WEBHOOK_VERIFY = {
  scheme,
  secretEnv: string('secret_env'),
  secretKey: string('secret_key'),
  signatureHeader: string('signature_header'),
  eventHeader: string('event_header'),
  dedupHeader: string('dedup_header'),
  timestampHeader: string('timestamp_header'),
  /** A duration, judged when it is resolved: one that cannot be read must not be passed over. */
  replayWindow: string('replay_window'),
  issuer: string('issuer'),
  jwksUrl: string('jwks_url'),
  audience: string('audience'),
  bearerEnv: string('bearer_env'),
  allowedCidrs: strings('allowed_cidrs'),
}
export type WebhookVerifyFields = ValuesOf<typeof WEBHOOK_VERIFY>

/** `[[webhook.rule]]`. */
export const WEBHOOK_RULE = {
  event: string('event'),
  match: stringMap('match'),
  target: oneOf('target', ['order', 'conversation']),
  order: string('order'),
  rig: string('rig'),
  args: stringMap('args'),
}
export type WebhookRuleFields = ValuesOf<typeof WEBHOOK_RULE>

/** `[webhook.publication]`. */
export const WEBHOOK_PUBLICATION = {
  visibility: oneOf('visibility', ['private', 'tenant', 'public']),
  hostname: string('hostname'),
  allowWebsockets: boolean('allow_websockets'),
}

const verify: FieldReader<Declaration<WebhookVerifyFields>> = table('verify', WEBHOOK_VERIFY)
const rules: FieldReader<readonly Declaration<WebhookRuleFields>[]> = tables('rule', WEBHOOK_RULE)

/** `[[webhook]]`. */
export const WEBHOOK = {
  name: requiredString('name'),
  scope: oneOf('scope', ['city', 'rig']),
  rig: string('rig'),
  publication: table('publication', WEBHOOK_PUBLICATION),
  maxPerMinute: integer('max_per_minute', { min: 0 }),
  verify,
  rules,
}
export type WebhookFields = ValuesOf<typeof WEBHOOK>

const GRANT = { name: requiredString('name'), source: requiredString('source') }

const JWT_POLICY = {
  name: requiredString('name'),
  issuer: string('issuer'),
  audience: string('audience'),
  jwksUrl: string('jwks_url'),
}

const MAX_RATE = 100_000
const rate = (key: string) => integer(key, { min: 1, max: MAX_RATE })

const RATE_OVERRIDE = { name: requiredString('name'), perMinute: rate('per_minute'), burst: rate('burst') }

const RATE_LIMIT = {
  perMinute: rate('per_minute'),
  burst: rate('burst'),
  overrides: tables('override', RATE_OVERRIDE),
}

/** `[webhooks]`: what the city says of all webhooks, those of its packs as well. */
export const WEBHOOK_POLICY = {
  /** True if a proxy in front of the server says, in X-Forwarded-For, who sends. */
  behindProxy: boolean('behind_proxy'),
  allowPublic: tables('allow_public', GRANT),
  jwtPolicies: tables('jwt_policy', JWT_POLICY),
  rateLimit: table('rate_limit', RATE_LIMIT),
}
export type WebhookPolicyFields = ValuesOf<typeof WEBHOOK_POLICY>
