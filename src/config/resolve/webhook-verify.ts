import { parseDuration } from '../../core/durations.ts'
import { errorMessage } from '../../core/errors.ts'
import { Networks } from '../../core/networks.ts'
import { type Declaration, locationOf } from '../declare/declaration.ts'
import type { WebhookVerifyFields } from '../declare/webhook.ts'
import type { Diagnostics } from '../diagnostics/diagnostics.ts'
import type { WebhookScheme, WebhookVerifyConfig } from '../webhooks/webhook.ts'

/** What `[webhooks]` says of who signs the tokens of a webhook, over what the webhook itself says. */
export interface JwtPolicy {
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

/** How deliveries are verified; undefined when nothing could be verified by it. */
export function resolveVerify(
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
