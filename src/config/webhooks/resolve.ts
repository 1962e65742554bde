import { resolve } from 'node:path'
import { parseDuration } from '../../core/durations.ts'
import { errorMessage } from '../../core/errors.ts'
import { Networks } from '../../core/networks.ts'
import { type Declaration, locationOf } from '../declare/index.ts'
import { Diagnostics, formatDiagnostic } from '../files/index.ts'
import type { ImportedPack, Imports } from '../packs/index.ts'
import type { RigConfig } from '../rigs/index.ts'
import {
  parsePayloadTemplate,
  type WebhookConfig,
  type WebhookRate,
  type WebhookRuleConfig,
  type WebhookScheme,
  type WebhookVerifyConfig,
} from './config.ts'
import type { WebhookFields, WebhookPolicyFields, WebhookRuleFields, WebhookVerifyFields } from './fields.ts'

/** Webhooks as they are declared, and what decides about them. */
interface WebhookDeclarations {
  readonly webhooks: readonly Declaration<WebhookFields>[]
  readonly webhookPolicy?: Declaration<WebhookPolicyFields> | undefined
  readonly packs: readonly ImportedPack[]
  readonly imports: Imports
}

interface Scope {
  /** The city's folder. */
  readonly path: string
  readonly rigs: readonly RigConfig[]
  readonly diagnostics: Diagnostics
}

const DEFAULT_RATE: WebhookRate = { perMinute: 300, burst: 60 }

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/** Verification that rejects every delivery. */
const NO_VERIFY: WebhookVerifyConfig = { scheme: 'hmac-sha256', replayWindow: 0, allowedCidrs: [] }

/** Every webhook of the city and its packs; one of a pack that is wrong takes no deliveries. */
export function resolveWebhooks(declarations: WebhookDeclarations, scope: Scope): WebhookConfig[] {
  const policy = declarations.webhookPolicy
  const resolved = new Map<string, WebhookConfig>()
  for (const declaration of declarations.webhooks) {
    const { name } = declaration.values
    if (name === undefined) continue
    const webhook = isolated(declaration, scope, (own) => resolveWebhook(declaration, name, declarations, own))
    const duplicate = resolved.get(name)?.block
    if (!duplicate || duplicate.pack) resolved.set(name, webhook)
    const [kept, hidden] =
      duplicate?.pack && !webhook.block.pack ? [webhook.block, duplicate] : [duplicate, webhook.block]
    if (duplicate && kept) reportDuplicate(kept, hidden, locationOf(declaration, 'name'), name, scope.diagnostics)
  }
  if (policy) checkPolicy(policy, resolved, scope.diagnostics)
  return [...resolved.values()]
}

/** A city's own webhook stands for one of a pack by the same name; any other two are an error. */
function reportDuplicate(
  kept: WebhookConfig['block'],
  hidden: WebhookConfig['block'],
  place: ReturnType<typeof locationOf>,
  name: string,
  diagnostics: Diagnostics,
): void {
  if (!kept.pack && hidden.pack) return
  diagnostics.error(place, `webhook "${name}" is declared at ${kept.file}:${kept.line} already`)
}

/** Errors of a pack's webhook keep that webhook from taking deliveries, not the city from changing. */
function isolated(
  declaration: Declaration<WebhookFields>,
  scope: Scope,
  resolveIn: (scope: Scope) => WebhookConfig,
): WebhookConfig {
  if (!declaration.block.pack) return resolveIn(scope)
  const diagnostics = new Diagnostics()
  const webhook = resolveIn({ ...scope, diagnostics })
  for (const each of diagnostics.list('warning')) scope.diagnostics.warning(each, each.message)
  const errors = diagnostics.list('error')
  for (const each of errors) {
    scope.diagnostics.warning(each, `${each.message}; the webhook takes no deliveries until this is fixed`)
  }
  const [first] = errors
  return first ? { ...webhook, broken: formatDiagnostic(first) } : webhook
}

function resolveWebhook(
  declaration: Declaration<WebhookFields>,
  name: string,
  declarations: WebhookDeclarations,
  { path, rigs, diagnostics }: Scope,
): WebhookConfig {
  const { values, block } = declaration
  const report = (key: keyof WebhookFields & string, message: string) =>
    diagnostics.error(locationOf(declaration, key), message)
  if (!NAME.test(name))
    report('name', `"${name}" must start with a letter or digit and contain only letters, digits, - and _`)
  const rig = rigOf(declaration, declarations, rigs, (message) => report('rig', message))
  const publication = values.publication
  const { visibility = 'private', hostname } = publication?.values ?? {}
  if (publication && hostname !== undefined && !DNS_LABEL.test(hostname)) {
    diagnostics.error(locationOf(publication, 'hostname'), `"${hostname}" must be one label of a host name`)
  }
  const isCapped = visibility === 'public' && !isGranted(name, block, declarations, path)
  if (isCapped && publication) {
    const grant = `[[webhooks.allow_public]] with name = "${name}" and the source of its pack`
    const message = `other machines do not reach this webhook of a pack unless city.toml has ${grant}`
    diagnostics.warning(locationOf(publication, 'visibility'), message)
  }
  const jwt = policyOf(name, declarations.webhookPolicy)
  if (!values.verify) report('verify', 'is required: [webhook.verify] says how the sender proves who it is')
  if (!values.rules?.length) report('rules', 'at least one [[webhook.rule]] is required: it says what follows')
  return {
    ...{ name, isCapped, block, visibility: isCapped ? 'tenant' : visibility },
    ...(rig !== undefined && { rig }),
    ...(hostname !== undefined && { hostname }),
    isBehindProxy: declarations.webhookPolicy?.values.behindProxy ?? false,
    rate: rateOf(name, values.maxPerMinute, declarations.webhookPolicy),
    verify: (values.verify && resolveVerify(values.verify, jwt, diagnostics)) ?? NO_VERIFY,
    rules: (values.rules ?? []).map((rule) => resolveRule(rule, rigs, diagnostics)),
  }
}

/** The rig that a webhook is for: the one that it names, or the one that imports its pack. */
function rigOf(
  { values: { scope, rig }, block: { pack } }: Declaration<WebhookFields>,
  { packs }: WebhookDeclarations,
  rigs: readonly RigConfig[],
  report: (message: string) => void,
): string | undefined {
  if (scope !== 'rig' && rig !== undefined) report('stands only beside scope = "rig"')
  else if (rig !== undefined && !rigs.some(({ name }) => name === rig)) report(`there is no rig "${rig}"`)
  if (scope !== 'rig' || rig !== undefined) return rig
  if (!pack) return void report('is required with scope = "rig"')
  const importing = new Set(packs.filter((each) => each.pack.folder === pack.folder).flatMap((each) => each.rig ?? []))
  const [only, other] = importing
  if (only === undefined) report('is required with scope = "rig" unless a rig imports the pack')
  if (other === undefined) return only
  const names = [...importing].join(' and ')
  return void report(
    `is required with scope = "rig": the pack is imported by ${names}; declare one [[webhook]] for each in city.toml`,
  )
}

/**
 * True if the city allows a webhook to be public: its own are; a pack's needs a grant that names where it comes from.
 */
function isGranted(
  name: string,
  { pack }: WebhookConfig['block'],
  { webhookPolicy, packs, imports }: WebhookDeclarations,
  city: string,
): boolean {
  if (!pack) return true
  const bindings = packs.filter((each) => each.pack.folder === pack.folder).map(({ binding }) => binding)
  const sources = bindings.flatMap((binding) => imports.get(binding ?? '')?.values.source ?? [])
  const isFrom = (source: string) => sources.includes(source) || resolve(city, source) === pack.folder
  const grants = webhookPolicy?.values.allowPublic ?? []
  return grants.some(({ values }) => values.name === name && values.source !== undefined && isFrom(values.source))
}

const policyOf = (name: string, policy: Declaration<WebhookPolicyFields> | undefined) => {
  const { name: _, ...jwt } = policy?.values.jwtPolicies?.find(({ values }) => values.name === name)?.values ?? {}
  return jwt
}

/** The rate that the city allows; a webhook itself may only ask for less. */
function rateOf(name: string, own = 0, policy: Declaration<WebhookPolicyFields> | undefined): WebhookRate {
  const limit = policy?.values.rateLimit?.values
  const override = limit?.overrides?.find(({ values }) => values.name === name)?.values
  const perMinute = override?.perMinute ?? limit?.perMinute ?? DEFAULT_RATE.perMinute
  const burst = override?.burst ?? limit?.burst ?? DEFAULT_RATE.burst
  if (own === 0 || own >= perMinute) return { perMinute, burst }
  return { perMinute: own, burst: Math.min(own, burst) }
}

/** Warns about city settings for an unknown webhook, which are probably a typo. */
function checkPolicy(
  { values }: Declaration<WebhookPolicyFields>,
  webhooks: ReadonlyMap<string, WebhookConfig>,
  diagnostics: Diagnostics,
): void {
  const check = <Values extends { name: string }>(entries: readonly Declaration<Values>[] = []) => {
    for (const entry of entries) {
      const { name } = entry.values
      if (name === undefined || webhooks.has(name)) continue
      diagnostics.warning(locationOf(entry, 'name'), `there is no webhook "${name}"`)
    }
  }
  check(values.allowPublic)
  check(values.jwtPolicies)
  check(values.rateLimit?.values.overrides)
}

/** The arguments that a conversation cannot do without, and those that it takes. */
const CONVERSATION_REQUIRED = ['provider', 'conversation_id', 'text']
const CONVERSATION_ARGS = [
  ...CONVERSATION_REQUIRED,
  ...['account_id', 'scope_id', 'parent_conversation_id', 'kind', 'message_id', 'actor_id', 'actor', 'reply_to'],
]

/** Result of a delivery, rule by rule. */
function resolveRule(
  declaration: Declaration<WebhookRuleFields>,
  rigs: readonly RigConfig[],
  diagnostics: Diagnostics,
): WebhookRuleConfig {
  const { values } = declaration
  const report = (name: keyof WebhookRuleFields & string, message: string) =>
    diagnostics.error(locationOf(declaration, name), message)
  const { target = 'order', order, rig, match = {}, args = {} } = values
  if (target === 'order' && order === undefined) report('order', 'is required: the order that is started')
  if (target === 'conversation' && order !== undefined) {
    report('order', 'stands beside target = "conversation"; take one of them out')
  }
  if (rig !== undefined && target === 'conversation') report('rig', 'is nothing that a conversation uses; take it out')
  if (rig !== undefined && !rigs.some(({ name }) => name === rig)) report('rig', `there is no rig "${rig}"`)
  if (target === 'conversation') checkConversation(args, report)
  for (const [path] of Object.entries(match)) {
    if (path.split('.').includes('')) report('match', `"${path}" is not a path such as label.name`)
  }
  for (const [name, text] of Object.entries(args)) {
    try {
      parsePayloadTemplate(text)
    } catch (error) {
      report('args', `"${name}": ${errorMessage(error)}`)
    }
  }
  return { ...values, target, match, args }
}

function checkConversation(args: Readonly<Record<string, string>>, report: (name: 'args', message: string) => void) {
  for (const name of CONVERSATION_REQUIRED) {
    if (args[name] === undefined) report('args', `"${name}" is required with target = "conversation"`)
  }
  for (const name of Object.keys(args)) {
    if (CONVERSATION_ARGS.includes(name)) continue
    report('args', `"${name}" is nothing that a conversation takes; it takes ${CONVERSATION_ARGS.join(', ')}`)
  }
}

/** Settings of `[webhooks]` on token issuers, which override those of the webhook. */
interface JwtPolicy {
  readonly issuer?: string | undefined
  readonly audience?: string | undefined
  readonly jwksUrl?: string | undefined
}

/** The window of signatures that carry a time, where none is declared; senders document five minutes. */
const DEFAULT_WINDOW_MS = 300_000
const MAX_WINDOW_MS = 86_400_000

const ENV_NAME = /^[A-Za-z_][A-Za-z0-9_]*$/
const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/

/** The keys of each scheme beside those that all have. */
const KEYS: Readonly<Record<WebhookScheme, readonly (keyof WebhookVerifyFields)[]>> = {
  'github-hmac-sha256': ['secretEnv', 'secretKey', 'signatureHeader'],
  'hmac-sha256': ['secretEnv', 'secretKey', 'signatureHeader', 'timestampHeader'],
  'slack-v0': ['secretEnv', 'secretKey', 'signatureHeader', 'timestampHeader'],
  'discord-ed25519': ['secretEnv', 'secretKey', 'signatureHeader', 'timestampHeader'],
  'jwt-jwks': ['issuer', 'jwksUrl', 'audience', 'signatureHeader'],
}
const OWN_KEYS = [...new Set(Object.values(KEYS).flat())]

const HEADERS = ['signatureHeader', 'eventHeader', 'dedupHeader', 'timestampHeader'] as const

/** Verification of deliveries; undefined if nothing could pass it. */
function resolveVerify(
  declaration: Declaration<WebhookVerifyFields>,
  policy: JwtPolicy,
  diagnostics: Diagnostics,
): WebhookVerifyConfig | undefined {
  const { values } = declaration
  const report = (name: keyof WebhookVerifyFields & string, message: string) =>
    diagnostics.error(locationOf(declaration, name), message)
  const { scheme } = values
  if (scheme === undefined) return undefined
  for (const name of OWN_KEYS) {
    if (values[name] !== undefined && !KEYS[scheme].includes(name)) {
      report(name, `is nothing that ${scheme} uses; take it out`)
    }
  }
  if (scheme === 'jwt-jwks') checkJwt({ ...values, ...policy }, report)
  else if (values.secretEnv === undefined) {
    report('secretEnv', 'is required: the name of the environment variable that holds the secret')
  }
  for (const name of ['secretEnv', 'bearerEnv'] as const) {
    const value = values[name]
    if (value !== undefined && !ENV_NAME.test(value)) report(name, `"${value}" is not the name of a variable`)
  }
  for (const name of HEADERS) {
    const value = values[name]
    if (value !== undefined && !HEADER_NAME.test(value)) report(name, `"${value}" is not the name of a header`)
  }
  if (values.bearerEnv !== undefined && scheme === 'jwt-jwks' && isAuthorization(values.signatureHeader)) {
    report('bearerEnv', 'cannot stand beside a token in the Authorization header; name a signature_header')
  }
  try {
    new Networks(values.allowedCidrs ?? [])
  } catch (error) {
    report('allowedCidrs', errorMessage(error))
  }
  return {
    ...values,
    ...(scheme === 'jwt-jwks' && policy),
    ...{ scheme, replayWindow: windowOf(values.replayWindow, report), allowedCidrs: values.allowedCidrs ?? [] },
    ...Object.fromEntries(HEADERS.map((name) => [name, values[name]?.toLowerCase()])),
  }
}

type Report = (name: keyof WebhookVerifyFields & string, message: string) => void

const isAuthorization = (header = 'authorization'): boolean => header.toLowerCase() === 'authorization'

function checkJwt({ issuer, audience, jwksUrl }: JwtPolicy, report: Report): void {
  if (issuer === undefined) report('issuer', 'is required: who signs the tokens, as their `iss` names it')
  if (audience === undefined) report('audience', 'is required: for whom the tokens are, as their `aud` names it')
  if (jwksUrl === undefined) report('jwksUrl', 'is required: the address of the issuer’s keys')
  else if (!isKeyAddress(jwksUrl)) report('jwksUrl', `"${jwksUrl}" must be an https:// address`)
}

/** Keys that came over plain HTTP could be anybody’s, unless they never left this machine. */
function isKeyAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, hostname, username } = new URL(text)
  if (username !== '') return false
  return protocol === 'https:' || (protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname))
}

function windowOf(text: string | undefined, report: Report): number {
  if (text === undefined) return DEFAULT_WINDOW_MS
  const window = parseDuration(text)
  if (window !== undefined && window > 0 && window <= MAX_WINDOW_MS) return window
  report('replayWindow', `"${text}" must be a duration between 1s and 24h, such as 5m`)
  return DEFAULT_WINDOW_MS
}
