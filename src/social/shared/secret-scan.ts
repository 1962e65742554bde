import { SECRET_FORMATS } from '../../core/text/index.ts'
import { badRequest } from './errors.ts'

/** Addresses of machines inside somebody's network (RFC 1918); not those that every router has. */
const PRIVATE_ADDRESS =
  /(?<![\d.])(?:10\.\d{1,3}|192\.168|172\.(?:1[6-9]|2\d|3[01]))\.\d{1,3}\.(?!0\b|1\b|254\b|255\b)\d{1,3}(?![\d./])/

const INVISIBLE = /[\u00ad\u200b-\u200d\u2060\ufeff]/g

/** Throws when a text that everybody could read contains a secret; the message says what, and not which. */
export function rejectSecrets(text: string): void {
  const name = findSecret(text)
  if (name === undefined) return
  throw badRequest(
    `This text contains ${name}; nothing was published`,
    'Remove it and send the text again. If it is real and others may have seen it, revoke it.',
  )
}

/** Kind of secret in a text; undefined without any. */
export function findSecret(text: string): string | undefined {
  const visible = text.replace(INVISIBLE, '')
  const secret = SECRET_FORMATS.find(([, pattern]) => visible.match(pattern)?.some((match) => !isPlaceholder(match)))
  if (secret) return secret[0]
  return visible.search(PRIVATE_ADDRESS) >= 0 ? 'a private network address' : undefined
}

/** Documentation writes keys that no one has. */
const isPlaceholder = (match: string): boolean =>
  !match.startsWith('-----') &&
  (/EXAMPLE|example|xxxx|XXXX|0000000|1234567|\.\.\./.test(match) || new Set(match).size < 10)
