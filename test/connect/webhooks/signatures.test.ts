import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync, sign } from 'node:crypto'
import type { WebhookVerifyConfig } from '../../../src/config/webhooks/config.ts'
import { verifyDiscord } from '../../../src/connect/webhooks/verify/discord.ts'
import { signHmac, verifyHmac } from '../../../src/connect/webhooks/verify/hmac.ts'

const DEFAULTS = { replayWindow: 300_000, allowedCidrs: [] }
const bytes = (text: string) => Buffer.from(text)
const delivery = (body: string, headers: Record<string, string>) => ({
  body: bytes(body),
  headers: new Headers(headers),
})

/** Message that a check throws; empty without one. */
function reasonOf(check: () => void): string {
  try {
    check()
    return ''
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  }
}

describe('a signature of GitHub', () => {
  const verify: WebhookVerifyConfig = { ...DEFAULTS, scheme: 'github-hmac-sha256' }
  const secret = "It's a Secret to Everybody"
  const SIGNATURE = 'sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17'
  const check = (body: string, headers: Record<string, string>) =>
    reasonOf(() => verifyHmac(delivery(body, headers), verify, secret, 0))

  test('is the one that its documentation shows', () => {
    expect(check('Hello, World!', { 'X-Hub-Signature-256': SIGNATURE })).toBe('')
  })

  test.each([
    ['another body', 'Hello, World?', SIGNATURE, 'the signature does not fit the secret and the body'],
    ['no prefix', 'Hello, World!', SIGNATURE.slice(7), 'the signature does not fit the secret and the body'],
    ['half of it', 'Hello, World!', SIGNATURE.slice(0, 40), 'the signature does not fit the secret and the body'],
    ['none', 'Hello, World!', '', 'the header x-hub-signature-256 is missing'],
  ])('is not valid with %s', (_, body, signature, reason) => {
    expect(check(body, { 'X-Hub-Signature-256': signature })).toBe(reason)
  })
})

describe('a signature of Slack', () => {
  const verify: WebhookVerifyConfig = { ...DEFAULTS, scheme: 'slack-v0' }
  const secret = '8f742231b10e8888abcd99yyyzzz85a5'
  const AT = 1531420618
  const BODY =
    'token=xyzz0WbapA4vBCDEFasx0q6G&team_id=T1DC2JH3J&team_domain=testteamnow&channel_id=G8PSS9T3V&channel_name=foobar&user_id=U2CERLKJA&user_name=roadrunner&command=%2Fwebhook-collect&text=&response_url=https%3A%2F%2Fhooks.slack.com%2Fcommands%2FT1DC2JH3J%2F397700885554%2F96rGlfmibIGlgcZRskXaIFfN&trigger_id=398738663015.47445629121.803a0bc887a14d10d2c447fce8b6703c'
  const HEADERS = {
    'X-Slack-Request-Timestamp': String(AT),
    'X-Slack-Signature': 'v0=a2114d57b48eac39b9ad189dd8316235a7b4a8d21a10bd27519666489c69b503',
  }
  const check = (at: number, body = BODY, headers: Record<string, string> = HEADERS) =>
    reasonOf(() => verifyHmac(delivery(body, headers), verify, secret, at * 1000))

  test('is the one that its documentation shows, for five minutes', () => {
    expect([check(AT), check(AT + 300), check(AT - 300)]).toEqual(['', '', ''])
  })

  test('is not valid when it is late or from a clock far ahead', () => {
    const more = 'more than the replay window allows'
    expect(check(AT + 301)).toBe(`the signed time is 301 s past, ${more}`)
    expect(check(AT - 301)).toBe(`the signed time is 301 s ahead, ${more}`)
  })

  test('is not valid with another time or body', () => {
    const changed = { ...HEADERS, 'X-Slack-Request-Timestamp': String(AT + 1) }
    const reason = 'the signature does not fit the secret and the body'
    expect([check(AT, BODY, changed), check(AT, `${BODY}&text=x`)]).toEqual([reason, reason])
  })

  test('needs both headers', () => {
    const without = (name: keyof typeof HEADERS) => ({ ...HEADERS, [name]: '' })
    expect(check(AT, BODY, without('X-Slack-Signature'))).toBe('the header x-slack-signature is missing')
    expect(check(AT, BODY, without('X-Slack-Request-Timestamp'))).toBe(
      'the header x-slack-request-timestamp is missing',
    )
  })
})

describe('a signature by HMAC', () => {
  const verify: WebhookVerifyConfig = { ...DEFAULTS, scheme: 'hmac-sha256', signatureHeader: 'x-sig' }
  const check = (headers: Record<string, string>, more: Partial<WebhookVerifyConfig> = {}, now = 0) =>
    reasonOf(() => verifyHmac(delivery('body', headers), { ...verify, ...more }, 'secret', now))
  const { 'x-sig': signed = '' } = signHmac(bytes('body'), verify, 'secret', 0)
  const hex = signed.slice('sha256='.length)

  test('is read in hexadecimal, with a prefix or without, and in Base64', () => {
    for (const text of [signed, hex, hex.toUpperCase(), Buffer.from(hex, 'hex').toString('base64')]) {
      expect(check({ 'x-sig': text })).toBe('')
    }
    expect(check({ 'x-sig': 'AAAA' })).not.toBe('')
  })

  test('covers the time where a header for it is named', () => {
    const timed = { timestampHeader: 'x-time' }
    const headers = signHmac(bytes('body'), { ...verify, ...timed }, 'secret', 1_000_000)
    expect(headers).toMatchObject({ 'x-time': '1000' })
    expect(check(headers, timed, 1_000_000)).toBe('')
    expect(check({ ...headers, 'x-time': '1001' }, timed, 1_000_000)).toContain('does not fit')
    expect(check(headers, { ...timed, replayWindow: 1000 }, 1_002_000)).toContain('2 s past')
  })
})

describe('a signature of Discord', () => {
  const verify: WebhookVerifyConfig = { ...DEFAULTS, scheme: 'discord-ed25519' }
  const { privateKey, publicKey } = generateKeyPairSync('ed25519')
  const key = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url').toString('hex')
  const AT = 1_700_000_000
  const signed = (body: string, time = String(AT)) => ({
    'X-Signature-Ed25519': sign(null, bytes(time + body), privateKey).toString('hex'),
    'X-Signature-Timestamp': time,
  })
  const check = (body: string, headers: Record<string, string>, at = AT, using = key) =>
    reasonOf(() => verifyDiscord(delivery(body, headers), verify, using, at * 1000))

  test('is made over the time and the body', () => {
    expect(check('{"type":1}', signed('{"type":1}'))).toBe('')
    const reason = 'the signature does not fit the public key and the body'
    expect(check('{"type":2}', signed('{"type":1}'))).toBe(reason)
    expect(check('{}', { ...signed('{}'), 'X-Signature-Timestamp': String(AT + 1) })).toBe(reason)
  })

  test('is not valid when it is late, missing or nonsense', () => {
    expect(check('{}', signed('{}'), AT + 301)).toContain('301 s past')
    expect(check('{}', {})).toBe('the header x-signature-timestamp is missing')
    expect(check('{}', { ...signed('{}'), 'X-Signature-Ed25519': 'zz' })).toBe(
      'the signature is not 64 bytes in hexadecimal',
    )
  })

  test('cannot be checked without a public key', () => {
    expect(check('{}', signed('{}'), AT, 'secret')).toContain('64 hexadecimal digits')
  })
})
