import type { CityConfig } from '../../config/city/index.ts'
import type { Config } from '../../config/compose/index.ts'
import {
  parsePayloadTemplate,
  type WebhookConfig,
  type WebhookRuleConfig,
  type WebhookVerifyConfig,
} from '../../config/webhooks/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import type { Clock } from '../../core/clock.ts'
import { AppError } from '../../core/errors.ts'
import { createExchangeId } from '../../core/ids.ts'
import { BodyReader } from '../../http/body.ts'
import type { HookRequest } from './admission/perimeter.ts'
import { Rejection } from './admission/rejection.ts'
import { type Environment, secretOf, variable } from './admission/secrets.ts'
import { type HookAnswer, nothingHere } from './answer.ts'
import { Deliveries } from './deliveries.ts'
import { FORM, type Payload, parsePayload, textOf } from './payload.ts'
import { WebhookReceiver } from './receiver.ts'
import { Rejections } from './rejections.ts'
import { matchRule } from './rules.ts'
import type { Webhook, WebhookList, WebhookTest, WebhookTestResult } from './schema.ts'
import { type ConversationInbox, type OrderStarter, Targets } from './targets.ts'
import { signHmac } from './verify/hmac.ts'
import { Verifier } from './verify/verifier.ts'

/** The longest body of a delivery, and how long it may take to come. */
const BODY_LIMIT = 1024 * 1024
const BODY_TIMEOUT_MS = 10_000

/** The webhooks of a city. */
export class Webhooks {
  readonly #receiver: WebhookReceiver
  readonly #stop: () => void

  constructor(
    private readonly context: CityContext,
    private readonly options: {
      /** The name of the city. */
      city: string
      /** Address on which the supervisor listens. */
      url(): string
      /** Address of public webhooks for other machines; undefined without one. */
      publicUrl?(): string | undefined
      config: Pick<Config, 'onChange'> & { readonly current: Pick<CityConfig, 'webhooks'> }
      env: Environment
      orders: OrderStarter
      conversations: ConversationInbox
    },
  ) {
    const { store, clock, deadlines } = context
    const { env, config } = options
    this.#receiver = new WebhookReceiver(context, {
      ...options,
      bodies: new BodyReader({ deadlines, limit: BODY_LIMIT, timeoutMs: BODY_TIMEOUT_MS }),
      verifier: new Verifier(env),
      deliveries: new Deliveries(store, clock),
      rejections: new Rejections(context),
      targets: new Targets(context, options),
    })
    this.#stop = config.onChange(({ current }) => this.#receiver.retain(current.webhooks))
  }

  /** Takes a delivery from outside. */
  async receive(name: string, hook: HookRequest): Promise<HookAnswer> {
    const webhook = this.#find(name)
    return webhook ? this.#receiver.receive(webhook, hook) : nothingHere()
  }

  list(): WebhookList {
    const items = this.options.config.current.webhooks.map((webhook) => this.#toWire(webhook))
    return { items, total: items.length }
  }

  /** Makes a delivery as the sender would, and shows what it would see. */
  async test(name: string, test: WebhookTest): Promise<WebhookTestResult> {
    const webhook = this.#find(name)
    if (!webhook) throw new AppError('webhook-not-found', `webhook ${name} not found; \`gc webhook list\` shows them`)
    const id = createExchangeId()
    const [first] = webhook.rules
    const happened = test.event ?? first?.event
    const sent = sampleBody(test, first, id)
    const facts = { ...(happened !== undefined && { event: happened }), ...this.#fit(webhook, happened, sent) }
    if (test.dry_run) return { delivered: false, ...facts }
    const signing = { ...this.options, clock: this.context.clock, id, event: happened, url: this.#urlOf(webhook) }
    const { status, body, rejection } = await this.#receiver.receive(webhook, signedRequest(webhook, sent, signing))
    return { delivered: true, ...facts, status, answer: body, ...rejection }
  }

  stop(): void {
    this.#stop()
  }

  #find(name: string): WebhookConfig | undefined {
    return this.options.config.current.webhooks.find((webhook) => webhook.name === name)
  }

  #fit(webhook: WebhookConfig, event: string | undefined, sent: SampleBody) {
    let payload: Payload = {}
    try {
      payload = readSample(sent)
      const matched = matchRule(webhook.rules, event, payload)
      if (!matched) return { payload, rule_index: -1 }
      const { index, rule, args } = matched
      return { payload, rule_index: index, args, ...(rule.order !== undefined && { order: rule.order }) }
    } catch (error) {
      if (error instanceof Rejection) return { payload, rule_index: -1, message: error.message }
      throw error
    }
  }

  #urlOf({ name, visibility }: WebhookConfig): string {
    const { city, url, publicUrl } = this.options
    const base = (visibility === 'public' && publicUrl?.()) || url()
    return `${base}/v0/city/${encodeURIComponent(city)}/hook/${name}`
  }

  #toWire(webhook: WebhookConfig): Webhook {
    const { name, verify, visibility, rig, rate, rules, block } = webhook
    const problem = this.#problemOf(webhook)
    return {
      ...{ name, url: this.#urlOf(webhook), scheme: verify.scheme, visibility },
      ...(rig !== undefined && { rig }),
      ...{ per_minute: rate.perMinute, burst: rate.burst, rules: [...rules], file: `${block.file}:${block.line}` },
      ...(problem !== undefined && { problem }),
    }
  }

  /** Known reason deliveries fail, before one arrives. */
  #problemOf({ broken, verify, rules, rig, isCapped }: WebhookConfig): string | undefined {
    if (broken !== undefined) return broken
    try {
      if (verify.secretEnv !== undefined) secretOf(verify, this.options.env)
      if (verify.bearerEnv !== undefined) variable(verify.bearerEnv, this.options.env)
    } catch (error) {
      if (error instanceof Rejection) return error.message
      throw error
    }
    for (const rule of rules) {
      const problem = rule.order && this.options.orders.problemOf(rule.order, rule.rig ?? rig)
      if (problem) return problem
    }
    return isCapped ? 'its pack asks for it to be public, and [[webhooks.allow_public]] does not allow that' : undefined
  }
}

interface SignOptions {
  readonly id: string
  readonly event: string | undefined
  readonly url: string
  readonly env: Environment
  readonly clock: Clock
}

/** A delivery as the sender would make it, signed with the secret of the webhook; only for schemes that share one. */
function signedRequest(webhook: WebhookConfig, sample: SampleBody, options: SignOptions): HookRequest {
  const { verify } = webhook
  const { event, id, url, env, clock } = options
  const body = Buffer.from(sample.text)
  const eventHeader = verify.eventHeader ?? (verify.scheme === 'github-hmac-sha256' ? 'x-github-event' : undefined)
  const dedupHeader = verify.dedupHeader ?? (verify.scheme === 'github-hmac-sha256' ? 'x-github-delivery' : undefined)
  const source = verify.allowedCidrs[0]?.split('/')[0] ?? '127.0.0.1'
  const headers = {
    ...{ 'content-type': sample.type, 'x-gc-request': 'true', 'x-forwarded-for': source },
    ...(event !== undefined && eventHeader !== undefined && { [eventHeader]: event }),
    ...(dedupHeader !== undefined && { [dedupHeader]: id }),
    ...credentials(verify, env, body, clock.now()),
  }
  const request = new Request(url, { method: 'POST', headers, body })
  return { request, peer: source, isPublic: false, isReadOnly: false }
}

function credentials(verify: WebhookVerifyConfig, env: Environment, body: Uint8Array, now: number) {
  if (verify.scheme === 'jwt-jwks' || verify.scheme === 'discord-ed25519') {
    throw new AppError(
      'validation-failed',
      `only the sender can sign a delivery by ${verify.scheme}: let it send one, or see with a dry run which rule fits`,
    )
  }
  try {
    return {
      ...(verify.bearerEnv !== undefined && { authorization: `Bearer ${variable(verify.bearerEnv, env)}` }),
      ...signHmac(body, verify, secretOf(verify, env), now),
    }
  } catch (error) {
    if (error instanceof Rejection) throw new AppError('conflict-wrong-state', error.message)
    throw error
  }
}

/** Contents of a sample delivery. */
interface SampleBody {
  readonly text: string
  readonly type: string
}

const JSON_TYPE = 'application/json'

/** The body of a sample: what it was given, else one that the first rule of the webhook fits. */
function sampleBody(
  { payload, form = false, body, content_type }: WebhookTest,
  ...sample: Parameters<typeof samplePayload>
): SampleBody {
  if (body !== undefined && (payload !== undefined || form)) {
    throw new AppError('validation-failed', 'body: is delivered unchanged; remove payload and form')
  }
  if (content_type !== undefined && body === undefined) {
    throw new AppError('validation-failed', 'content_type: is the type of body; give that too')
  }
  if (body !== undefined) return { text: body, type: content_type ?? JSON_TYPE }
  const fields = payload ?? samplePayload(...sample)
  return form ? { text: toForm(fields), type: FORM } : { text: JSON.stringify(fields), type: JSON_TYPE }
}

const toForm = (fields: Payload): string =>
  new URLSearchParams(Object.entries(fields).map(([name, value]): [string, string] => [name, textOf(value)])).toString()

/** The payload of a sample as the webhook reads it; throws a rejection for what it cannot read. */
const readSample = ({ text, type }: SampleBody): Payload =>
  parsePayload(Buffer.from(text), new Headers({ 'content-type': type }))

type Json = Record<string, unknown>

/** A payload that a rule fits: what it matches, and something at every path that its arguments take. */
function samplePayload(rule: WebhookRuleConfig | undefined, id: string): Json {
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
