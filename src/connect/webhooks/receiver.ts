import type { WebhookConfig, WebhookScheme, WebhookVerifyConfig } from '../../config/webhooks/index.ts'
import type { CityContext } from '../../core/city-context.ts'
import { sha256 } from '../../core/digest.ts'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { Tx } from '../../core/store/index.ts'
import type { BodyReader } from '../../http/body.ts'
import { WebhookReceived } from '../events.ts'
import { actorOfWebhook } from './actor.ts'
import { checkPerimeter, type HookRequest, MethodNotAllowed } from './admission/perimeter.ts'
import { operatorFault, Rejection } from './admission/rejection.ts'
import type { Environment } from './admission/secrets.ts'
import { TokenBucket } from './admission/token-bucket.ts'
import { ACKNOWLEDGED, type HookAnswer, methodNotAllowed, rejected } from './answer.ts'
import type { Deliveries } from './deliveries.ts'
import { isForm, type Payload, parsePayload, textOf, valueAt } from './payload.ts'
import type { RejectedDelivery, Rejections } from './rejections.ts'
import { type MatchedRule, matchRule } from './rules.ts'
import type { StartedOrder, Targets } from './targets.ts'
import type { Verified } from './verify/signed.ts'
import type { Verifier } from './verify/verifier.ts'

/** Facts about a delivery in progress, for its event. */
type Known = { -readonly [Name in keyof RejectedDelivery]: RejectedDelivery[Name] } & { body_size: number }

/** Time a delivery is remembered at least. */
const REMEMBERED_MS = 30 * 60_000

const MAX_ID_LENGTH = 200

/** It came before, and something followed from it. */
class RepeatedDelivery extends Error {}

/** Takes the deliveries of a city's webhooks: each is judged in one order, and answered once what follows is on disk. */
export class WebhookReceiver {
  readonly #buckets = new Map<string, TokenBucket>()
  /** Deliveries that are being followed, so that their repetitions wait for the outcome of them. */
  readonly #underWay = new Map<string, Promise<void>>()

  constructor(
    private readonly context: CityContext,
    private readonly peers: {
      env: Environment
      bodies: Pick<BodyReader, 'bytes'>
      verifier: Verifier
      deliveries: Deliveries
      rejections: Rejections
      targets: Targets
    },
  ) {}

  async receive(webhook: WebhookConfig, hook: HookRequest): Promise<HookAnswer> {
    const known: Known = { webhook: webhook.name, scheme: webhook.verify.scheme, body_size: 0 }
    try {
      return await this.#take(webhook, hook, known)
    } catch (error) {
      return this.#reject(known, error)
    }
  }

  /** Forgets webhooks that are gone. */
  retain(webhooks: readonly WebhookConfig[]): void {
    const names = new Set(webhooks.map(({ name }) => name))
    for (const name of this.#buckets.keys()) if (!names.has(name)) this.#buckets.delete(name)
    this.peers.rejections.retain(names)
    this.peers.verifier.retain(webhooks.map(({ verify }) => verify))
  }

  async #take(webhook: WebhookConfig, hook: HookRequest, known: Known): Promise<HookAnswer> {
    const { clock } = this.context
    const { bodies, verifier, env } = this.peers
    checkPerimeter(webhook, hook, env)
    this.#checkRate(webhook)
    const body = await bodies.bytes(hook.request).catch(rethrowBody)
    known.body_size = body.length
    if (webhook.broken !== undefined) throw operatorFault(webhook.broken)
    const { headers } = hook.request
    const verified = await verifier.verify({ headers, body }, webhook.verify, clock.now())
    const payload = parsePayload(body, headers)
    const handshake = handshakeOf(webhook.verify.scheme, payload)
    if (handshake) return { status: 200, body: handshake }
    const digest = sha256(verified.id ?? body)
    known.dedup_id = deliveryIdOf(webhook.verify, headers) ?? verified.id?.slice(0, MAX_ID_LENGTH) ?? digest
    const eventType = eventTypeOf(webhook.verify, headers, payload)
    if (eventType !== undefined) known.event_type = eventType
    const matched = matchRule(webhook.rules, eventType, payload)
    const expiresAt = this.#expiry(webhook.verify, verified)
    const answer = await this.#follow(webhook, known, matched, { digest, expiresAt })
    return webhook.verify.scheme === 'slack-v0' && isForm(headers) ? ACKNOWLEDGED : answer
  }

  #checkRate({ name, rate }: WebhookConfig): void {
    const bucket = this.#buckets.get(name) ?? new TokenBucket()
    this.#buckets.set(name, bucket)
    const wait = bucket.take(rate, this.context.clock.monotonic())
    if (wait === 0) return
    const seconds = Math.ceil(wait / 1000)
    const message = `more than ${rate.perMinute} deliveries a minute`
    const answer = `${message}; send this one again in ${seconds} s`
    throw new Rejection('rate_limited', 429, message, answer, { 'retry-after': String(seconds) })
  }

  async #follow(
    webhook: WebhookConfig,
    known: Known,
    matched: MatchedRule | undefined,
    { digest, expiresAt }: { digest: string; expiresAt: number },
  ): Promise<HookAnswer> {
    const { deliveries, targets } = this.peers
    const { name, rig } = webhook
    if (!matched) {
      await this.#record(known, { matched: false, deduped: false, dispatched: false, rule_index: -1 })
      return { status: 200, body: { status: 'ok', matched: false } }
    }
    const { index, rule } = matched
    const facts = { matched: true, rule_index: index, ...(rule.order !== undefined && { order: rule.order }) }
    const alongside = (tx: Tx, started?: StartedOrder) => {
      if (!deliveries.add(tx, name, digest, expiresAt)) throw new RepeatedDelivery()
      this.#append(tx, known, { ...facts, deduped: false, dispatched: true, ...(started && startedFacts(started)) })
    }
    const done = await this.#turn(`${name} ${digest}`)
    try {
      if (deliveries.has(name, digest)) throw new RepeatedDelivery()
      const id = known.dedup_id ?? digest
      await targets.dispatch({ webhook: name, rig, matched, id, actor: actorOfWebhook(name), alongside })
    } catch (error) {
      if (!(error instanceof RepeatedDelivery)) throw error
      await this.#record(known, { ...facts, deduped: true, dispatched: false })
      return { status: 200, body: { status: 'ok', deduped: true } }
    } finally {
      done()
    }
    return { status: 202, body: { status: 'accepted' } }
  }

  /** Waits until no other delivery with this key is under way; returns how to let the next continue. */
  async #turn(key: string): Promise<() => void> {
    for (let before = this.#underWay.get(key); before; before = this.#underWay.get(key)) await before
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#underWay.set(key, promise)
    return () => {
      this.#underWay.delete(key)
      resolve()
    }
  }

  /** A signature is good for twice the window, from a clock that is ahead to one that is behind. */
  #expiry({ replayWindow }: WebhookVerifyConfig, { expiresAt = 0 }: Verified): number {
    return Math.max(this.context.clock.now() + Math.max(REMEMBERED_MS, 2 * replayWindow), expiresAt)
  }

  async #record(known: Known, facts: ReceivedFacts): Promise<void> {
    await this.context.store.write((tx) => this.#append(tx, known, facts), actorOfWebhook(known.webhook))
  }

  #append(tx: Tx, known: Known, facts: ReceivedFacts): void {
    this.context.log.append(tx, WebhookReceived, { subject: known.webhook }, { ...known, ...facts })
  }

  async #reject(known: Known, error: unknown): Promise<HookAnswer> {
    if (error instanceof MethodNotAllowed) return methodNotAllowed()
    const rejection = error instanceof Rejection ? error : dispatchFailure(error)
    if (rejection.reason === 'dispatch_error') this.context.reportError(error)
    const { body_size, ...facts } = known
    const delivery = { ...facts, ...(body_size > 0 && { body_size }) }
    await this.peers.rejections.record(delivery, rejection).catch((failure) => this.context.reportError(failure))
    return rejected(rejection)
  }
}

interface ReceivedFacts {
  matched: boolean
  deduped: boolean
  dispatched: boolean
  rule_index: number
  order?: string
  rig?: string
  scoped_name?: string
  tracking_id?: string
}

const startedFacts = ({ order, rig, scopedName, trackingId }: StartedOrder) => ({
  ...{ order, scoped_name: scopedName, tracking_id: trackingId },
  ...(rig !== undefined && { rig }),
})

/** Delivery id of the sender. It is not signed, so it is shown and decides nothing. */
function deliveryIdOf({ scheme, dedupHeader }: WebhookVerifyConfig, headers: Headers): string | undefined {
  const header = dedupHeader ?? (scheme === 'github-hmac-sha256' ? 'x-github-delivery' : undefined)
  return (header && headers.get(header)?.slice(0, MAX_ID_LENGTH)) || undefined
}

/** Rejection of a delivery that its order or conversation did not accept. */
function dispatchFailure(error: unknown): Rejection {
  const message = errorMessage(error)
  if (!(error instanceof AppError)) {
    return new Rejection('dispatch_error', 500, message, 'something went wrong here; send this delivery again later')
  }
  if (error.status < 500) return new Rejection('dispatch_refused', 422, message, message)
  return new Rejection(
    'dispatch_unavailable',
    503,
    message,
    'nothing can be started now; send this delivery again later',
  )
}

function rethrowBody(error: unknown): never {
  if (!(error instanceof AppError)) throw error
  const { code, status, message, headers } = error
  throw new Rejection(code === 'body-too-large' ? 'body_too_large' : 'bad_body', status, message, message, headers)
}

const DISCORD_PING = 1

/** Slack checks so, now and then, whether the certificate of the address of a command is good. */
const isCertificateCheck = (scheme: WebhookScheme, payload: Payload): boolean =>
  scheme === 'slack-v0' && payload.ssl_check === '1'

/** Response to a signed handshake of a service; undefined for a real delivery. */
function handshakeOf(scheme: WebhookScheme, payload: Payload): Readonly<Record<string, unknown>> | undefined {
  if (scheme === 'discord-ed25519' && payload.type === DISCORD_PING) return { type: DISCORD_PING }
  if (scheme === 'slack-v0' && payload.type === 'url_verification' && typeof payload.challenge === 'string') {
    return { challenge: payload.challenge }
  }
  if (isCertificateCheck(scheme, payload)) return {}
  return undefined
}

/** Senders say a word or two. */
const MAX_LENGTH = 200

/** Event type of the sender: from a header, or from the payload for Slack and Discord. */
function eventTypeOf(
  { scheme, eventHeader }: WebhookVerifyConfig,
  headers: Headers,
  payload: Payload,
): string | undefined {
  const header = eventHeader ?? (scheme === 'github-hmac-sha256' ? 'x-github-event' : undefined)
  const text = header === undefined ? inPayload(scheme, payload) : (headers.get(header) ?? '')
  return text === '' ? undefined : text.slice(0, MAX_LENGTH)
}

function inPayload(scheme: WebhookVerifyConfig['scheme'], payload: Payload): string {
  if (scheme === 'slack-v0') return textOf(valueAt(payload, 'event.type')) || textOf(payload.type ?? payload.command)
  return scheme === 'discord-ed25519' ? textOf(payload.type) : ''
}
