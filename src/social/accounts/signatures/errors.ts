import { SocialError } from '../../shared/index.ts'

const HINT =
  'Sign @method and @target-uri, and content-digest where there is a body, with created, keyid and a fresh nonce; ' +
  'GET /skill.md shows how.'

/** A 401: what is wrong with the signature of a request. */
export const invalidSignature = (reason: string): SocialError =>
  new SocialError('unauthorized', `Invalid signature: ${reason}`, {
    hint: HINT,
    headers: { 'www-authenticate': 'Signature, Bearer' },
  })
