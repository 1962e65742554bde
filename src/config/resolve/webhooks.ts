import { resolve } from 'node:path'
import type { RigConfig } from '../city-config.ts'
import type { CityDeclarations } from '../declare/city-declarations.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import type { WebhookFields, WebhookPolicyFields } from '../declare/webhook.ts'
import { Diagnostics, formatDiagnostic } from '../diagnostics/diagnostics.ts'
import type { WebhookConfig, WebhookRate, WebhookVerifyConfig } from '../webhooks/webhook.ts'
import { resolveRule } from './webhook-rules.ts'
import { resolveVerify } from './webhook-verify.ts'

interface Scope {
  /** The city's folder. */
  readonly path: string
  readonly rigs: readonly RigConfig[]
  readonly diagnostics: Diagnostics
}

const DEFAULT_RATE: WebhookRate = { perMinute: 300, burst: 60 }

const NAME = /^[A-Za-z0-9][A-Za-z0-9_-]*$/
const DNS_LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/i

/** What nothing can be delivered to. */
const NO_VERIFY: WebhookVerifyConfig = { scheme: 'hmac-sha256', replayWindow: 0, allowedCidrs: [] }

/** Every webhook of the city and its packs; one of a pack that is wrong takes no deliveries. */
export function resolveWebhooks(declarations: CityDeclarations, scope: Scope): WebhookConfig[] {
  const policy = declarations.webhookPolicy
  const resolved = new Map<string, WebhookConfig>()
  for (const declaration of declarations.webhooks) {
    const { name } = declaration.values
    if (name === undefined) continue
    const webhook = isolated(declaration, scope, (own) => resolveWebhook(declaration, name, declarations, own))
    const twin = resolved.get(name)?.block
    if (!twin || twin.pack) resolved.set(name, webhook)
    const [kept, hidden] = twin?.pack && !webhook.block.pack ? [webhook.block, twin] : [twin, webhook.block]
    if (twin && kept) reportTwin(kept, hidden, locationOf(declaration, 'name'), name, scope.diagnostics)
  }
  if (policy) checkPolicy(policy, resolved, scope.diagnostics)
  return [...resolved.values()]
}

/** A city's own webhook stands for one of a pack by the same name; any other two are an error. */
function reportTwin(
  kept: WebhookConfig['block'],
  hidden: WebhookConfig['block'],
  place: ReturnType<typeof locationOf>,
  name: string,
  diagnostics: Diagnostics,
): void {
  if (!kept.pack && hidden.pack) return
  diagnostics.error(place, `webhook "${name}" is declared at ${kept.file}:${kept.line} already`)
}

/** What is wrong with a webhook of a pack keeps that webhook from taking deliveries, not the city from changing. */
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
    scope.diagnostics.warning(each, `${each.message}; the webhook takes no deliveries until this is mended`)
  }
  const [first] = errors
  return first ? { ...webhook, broken: formatDiagnostic(first) } : webhook
}

function resolveWebhook(
  declaration: Declaration<WebhookFields>,
  name: string,
  declarations: CityDeclarations,
  { path, rigs, diagnostics }: Scope,
): WebhookConfig {
  const { values, block } = declaration
  const report = (key: keyof WebhookFields & string, message: string) =>
    diagnostics.error(locationOf(declaration, key), message)
  if (!NAME.test(name)) report('name', `"${name}" must begin with a letter or digit and go on with those, - and _`)
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
  { packs }: CityDeclarations,
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

/** Whether the city allows a webhook to be public: its own are; a pack's needs a grant that names where it comes from. */
function isGranted(
  name: string,
  { pack }: WebhookConfig['block'],
  { webhookPolicy, packs, imports }: CityDeclarations,
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

/** What the city says of a webhook that is not there is probably not meant. */
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
