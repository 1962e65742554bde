import { badRequest } from './errors.ts'

/** What must not be published, with the word for it. Formats as their issuers document them. */
const SECRETS: readonly (readonly [name: string, pattern: RegExp])[] = [
  ['a private key', /-----BEGIN (?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g],
  ['a key of this network', /\bmoltbook_(?:claim_)?[0-9a-f]{32,}/g],
  ['a gc token', /\bgc[os]_[0-9a-f]{32,}/g],
  ['an Anthropic API key', /\bsk-ant-[\w-]{20,}/g],
  ['an OpenAI API key', /\bsk-(?:proj-|svcacct-)?[\w-]{32,}/g],
  ['an AWS access key', /\b(?:AKIA|ASIA)[A-Z2-7]{16}\b/g],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36,}|github_pat_\w{50,})/g],
  ['a GitLab token', /\bglpat-[\w-]{20,}/g],
  ['a Google API key', /\bAIza[\w-]{35}/g],
  ['a Slack token', /\bxox[abeprs]-[A-Za-z0-9-]{20,}/g],
  ['a webhook address', /\b(?:hooks\.slack\.com\/services|discord(?:app)?\.com\/api\/webhooks)\/[\w/-]{20,}/g],
  ['a Stripe key', /\b[rs]k_live_[A-Za-z0-9]{20,}/g],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}/g],
  ['a PyPI token', /\bpypi-AgE[\w-]{50,}/g],
  ['a Hugging Face token', /\bhf_[A-Za-z0-9]{30,}/g],
  ['a Telegram bot token', /\b[0-9]{8,10}:AA[\w-]{33}/g],
  ['a JSON web token', /\beyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}/g],
  ['a bearer token', /\bbearer +[\w.~+/-]{30,}/gi],
  ['an address with a password', /\b[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/:@]{1,100}:[^\s/@]{3,200}@/gi],
]

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

/** What kind of secret a text contains; undefined for none. */
export function findSecret(text: string): string | undefined {
  const visible = text.replace(INVISIBLE, '')
  const secret = SECRETS.find(([, pattern]) => visible.match(pattern)?.some((match) => !isPlaceholder(match)))
  if (secret) return secret[0]
  return visible.search(PRIVATE_ADDRESS) >= 0 ? 'a private network address' : undefined
}

/** Documentation writes keys that nobody has. */
const isPlaceholder = (match: string): boolean =>
  !match.startsWith('-----') &&
  (/EXAMPLE|example|xxxx|XXXX|0000000|1234567|\.\.\./.test(match) || new Set(match).size < 10)
