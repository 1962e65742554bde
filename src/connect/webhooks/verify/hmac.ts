import { createHmac, timingSafeEqual } from 'node:crypto'
import type { WebhookVerifyConfig } from '../../../config/webhooks/index.ts'
import { verifyFailed } from '../admission/rejection.ts'
import { checkTimestamp, requiredHeader, type SignedDelivery } from './signed.ts'

/** Format of an HMAC-SHA256 scheme: its headers, and the signed parts besides the body. */
interface HmacScheme {
  readonly signatureHeader: string
  readonly timestampHeader?: string | undefined
  /** Prefix of the digest in the header; mandatory if it is `required`. */
  readonly prefix: string
  readonly required: boolean
  /** Signed part before the body. */
  before(timestamp: string): string
}

const NOTHING = () => ''

/** The three schemes that sign with a shared secret. */
function schemeOf(verify: WebhookVerifyConfig): HmacScheme {
  const { scheme, signatureHeader, timestampHeader } = verify
  if (scheme === 'slack-v0') {
    return {
      signatureHeader: signatureHeader ?? 'x-slack-signature',
      timestampHeader: timestampHeader ?? 'x-slack-request-timestamp',
      ...{ prefix: 'v0=', required: true, before: (timestamp) => `v0:${timestamp}:` },
    }
  }
  if (scheme === 'github-hmac-sha256') {
    const header = signatureHeader ?? 'x-hub-signature-256'
    return { signatureHeader: header, prefix: 'sha256=', required: true, before: NOTHING }
  }
  return {
    signatureHeader: signatureHeader ?? 'x-signature-256',
    ...{ timestampHeader, prefix: 'sha256=', required: false },
    before: timestampHeader === undefined ? NOTHING : (timestamp) => `${timestamp}.`,
  }
}

/** Throws unless the delivery was signed with the secret, within the replay window where the time is signed. */
export function verifyHmac(delivery: SignedDelivery, verify: WebhookVerifyConfig, secret: string, now: number): void {
  const scheme = schemeOf(verify)
  const timestamp = scheme.timestampHeader === undefined ? '' : requiredHeader(delivery, scheme.timestampHeader)
  const sent = readDigest(requiredHeader(delivery, scheme.signatureHeader), scheme)
  const expected = digestOf(secret, scheme.before(timestamp), delivery.body)
  if (!sent || !timingSafeEqual(sent, expected))
    throw verifyFailed('the signature does not fit the secret and the body')
  if (scheme.timestampHeader !== undefined) checkTimestamp(timestamp, verify, now)
}

/** The headers of a delivery signed now. */
export function signHmac(body: Uint8Array, verify: WebhookVerifyConfig, secret: string, now: number) {
  const scheme = schemeOf(verify)
  const timestamp = String(Math.floor(now / 1000))
  const digest = digestOf(secret, scheme.before(timestamp), body).toString('hex')
  return {
    [scheme.signatureHeader]: `${scheme.prefix}${digest}`,
    ...(scheme.timestampHeader !== undefined && { [scheme.timestampHeader]: timestamp }),
  }
}

const digestOf = (secret: string, before: string, body: Uint8Array): Buffer =>
  createHmac('sha256', secret).update(before).update(body).digest()

/** The 32 bytes of a digest in hexadecimal or, where no prefix is required, in Base64. */
function readDigest(text: string, { prefix, required }: HmacScheme): Buffer | undefined {
  const hasPrefix = text.startsWith(prefix)
  if (required && !hasPrefix) return undefined
  const digest = hasPrefix ? text.slice(prefix.length) : text
  if (/^[0-9a-f]{64}$/i.test(digest)) return Buffer.from(digest, 'hex')
  return !required && /^[A-Za-z0-9+/]{43}=$/.test(digest) ? Buffer.from(digest, 'base64') : undefined
}
