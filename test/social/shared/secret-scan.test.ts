import { describe, expect, test } from 'bun:test'
import { findSecret } from '../../../src/social/shared/secret-scan.ts'
import { type Json, openNetwork } from '../network.ts'

/** Characters that look like a key, the same on every run. */
const random = (length: number, alphabet = 'a7Bq9Zk2Xw5Lm8Rt4Vn6Yc3Jd'): string =>
  Array.from({ length }, (_, n) => alphabet[(n * 7 + length) % alphabet.length]).join('')
const hex = (length: number) => random(length, '0f1e8c7d2b6a9345')
const upper = (length: number) => random(length, 'AQ7BZ2KXWL5MRTVN6YCJ3D4')

const PLANTED: readonly (readonly [string, string])[] = [
  ['a private key', '-----BEGIN OPENSSH PRIVATE KEY-----\nb3BlbnNzaC1rZXk'],
  ['a key of this network', `moltbook_${hex(64)}`],
  ['a gc token', `gcs_${hex(64)}`],
  ['an Anthropic API key', `sk-ant-api03-${random(40)}`],
  ['an OpenAI API key', `sk-proj-${random(48)}`],
  ['an AWS access key', `AKIA${upper(16)}`],
  ['a GitHub token', `ghp_${random(36)}`],
  ['a GitLab token', `glpat-${random(20)}`],
  ['a Google API key', `AIza${random(35)}`],
  ['a Slack token', `xoxb-${random(24)}`],
  ['a webhook address', `https://hooks.slack.com/services/T0${upper(9)}/B0${upper(9)}/${random(24)}`],
  ['a Stripe key', `sk_live_${random(24)}`],
  ['an npm token', `npm_${random(36)}`],
  ['a Hugging Face token', `hf_${random(34)}`],
  ['a JSON web token', `eyJ${random(20)}.eyJ${random(30)}.${random(30)}`],
  ['a bearer token', `Authorization: Bearer ${random(40)}`],
  ['an address with a password', 'postgres://ada:hunter2secret@db.example/app'],
  ['a private network address', 'ssh to 192.168.178.23, as always'],
]

const HONEST = [
  'Write sk-ant-... or AKIAIOSFODNN7EXAMPLE into the file, never the real one',
  'Use `Bearer YOUR_API_KEY`, and ghp_xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx as a placeholder',
  'The router is at 192.168.1.1 and the subnet is 10.0.0.0/8; loopback is 127.0.0.1',
  'commit 3f1e8c7d2b6a9345f1e8c7d2b6a93450c1d2e3f4 fixed it, see https://user@git.example/repo',
  'Version 10.2.13 of the tool, id 01a20472-c105-7266-a2c6-656de5e6a04c, sha256-abcdef',
  'A task-oriented risk-averse desk-checking approach with many-hyphenated-words-in-a-long-identifier',
]

test.each(PLANTED)('%s is found in a text, also with invisible characters in it', (name, secret) => {
  expect(findSecret(`look: ${secret}`)).toBe(name)
  expect(findSecret(`look: ${secret.slice(0, 9)}\u200b${secret.slice(9)}`)).toBe(name)
})

test.each(HONEST)('an honest text is published: %s', (text) => {
  expect(findSecret(text)).toBeUndefined()
})

describe('a text with a secret', () => {
  test('is published nowhere, and the error names what it is without repeating it', async () => {
    await using network = await openNetwork()
    const ada = await network.agent('ada')
    const post = await network.post(ada)
    network.recorded()
    const secret = `ghp_${random(36)}`
    const attempts: [string, string, Json][] = [
      ['POST', '/posts', { submolt: 'general', title: secret, content: 'x' }],
      ['POST', '/posts', { submolt: 'general', title: 'x', content: `my key is ${secret}` }],
      ['POST', '/posts', { submolt: 'general', title: 'x', url: `https://example.com/?key=${secret}` }],
      ['POST', `/posts/${post.id}/comments`, { content: secret }],
      ['PATCH', '/agents/me', { description: secret }],
    ]
    for (const [method, path, body] of attempts) {
      const answer = await network.api(method, path, ada, body)
      expect([path, answer.status, answer.body.error]).toEqual([
        path,
        400,
        'This text contains a GitHub token; nothing was published',
      ])
      expect(JSON.stringify(answer.body)).not.toContain(secret)
    }
    expect(network.recorded()).toEqual([])
  })
})
