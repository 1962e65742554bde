import { createPublicKey, type KeyObject, verify as verifySignature } from 'node:crypto'
import type { WebhookVerifyConfig } from '../../../config/webhooks/index.ts'
import { operatorFault, verifyFailed } from '../admission/rejection.ts'
import { checkTimestamp, requiredHeader, type SignedDelivery } from './signed.ts'

/** Throws unless Discord signed the time and the body with the key that belongs to this public one. */
export function verifyDiscord(
  delivery: SignedDelivery,
  verify: WebhookVerifyConfig,
  publicKey: string,
  now: number,
): void {
  const timestamp = requiredHeader(delivery, verify.timestampHeader ?? 'x-signature-timestamp')
  const signature = requiredHeader(delivery, verify.signatureHeader ?? 'x-signature-ed25519')
  const key = keyOf(publicKey)
  if (!/^[0-9a-f]{128}$/i.test(signature)) throw verifyFailed('the signature is not 64 bytes in hexadecimal')
  const signed = Buffer.concat([Buffer.from(timestamp), delivery.body])
  if (!verifySignature(null, signed, key, Buffer.from(signature, 'hex'))) {
    throw verifyFailed('the signature does not fit the public key and the body')
  }
  checkTimestamp(timestamp, verify, now)
}

function keyOf(hex: string): KeyObject {
  if (!/^[0-9a-f]{64}$/i.test(hex)) {
    throw operatorFault('secret_env must hold the public key of the Discord application: 64 hexadecimal digits')
  }
  const x = Buffer.from(hex, 'hex').toString('base64url')
  return createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } })
}
