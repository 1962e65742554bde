import { describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { readSocialConfig } from '../../../src/social/network/config.ts'
import { defaultSettings } from '../../../src/social/shared/settings.ts'
import { tempFolder } from '../../support/folder.ts'

function read(toml: string | undefined, env: Record<string, string> = {}, secret?: { text: string; mode: number }) {
  using folder = tempFolder()
  const path = folder.at('social.toml')
  if (toml !== undefined) writeFileSync(path, toml)
  if (secret) {
    writeFileSync(folder.at('secret'), secret.text)
    chmodSync(folder.at('secret'), secret.mode)
  }
  return readSocialConfig(path, env)
}

const OPENID = '[[provider]]\nid = "work"\nlabel = "Work"\nissuer = "https://id.example"\nclient_id = "gc"\n'
const OAUTH = `[[provider]]
id = "github"
kind = "oauth2"
issuer = "https://github.com"
client_id = "gc"
client_secret_env = "SECRET"
authorization_endpoint = "https://github.com/login/oauth/authorize"
token_endpoint = "https://github.com/login/oauth/access_token"
user_endpoint = "https://api.github.com/user"
name_field = "login"
`

describe('social.toml', () => {
  test('without a file has the defaults and no provider', () => {
    expect(read(undefined)).toEqual({
      settings: { baseUrl: undefined, requireClaim: false, publicReads: undefined, proxied: false },
      hosts: [],
      providers: [],
    })
  })

  test('sets limits as a count per duration, with defaults for the rest', () => {
    const { limits } = read(
      '[limits]\ngeneral = "60/1m"\ncomment = "10/1h30m"\n[limits.newcomer]\nage = "2d"\nvote = ["1/1s", "9/1h"]\n',
    ).settings
    expect(limits).toEqual({
      ...defaultSettings.limits,
      general: { count: 60, window: 60_000 },
      comment: { count: 10, window: 5_400_000 },
      newcomer: {
        age: 172_800_000,
        limits: {
          ...defaultSettings.limits.newcomer?.limits,
          vote: [
            { count: 1, window: 1_000 },
            { count: 9, window: 3_600_000 },
          ],
        },
      },
    })
    expect(read('[limits]\nnewcomer = false\n').settings.limits?.newcomer).toBeUndefined()
    for (const wrong of [
      'post = "often"',
      'post = "0/1h"',
      'post = "5/soon"',
      'post = "5/90d"',
      'post = 5',
      'x = "1/1h"',
    ]) {
      expect(() => read(`[limits]\n${wrong}\n`)).toThrow(/social\.toml: limits[. ](post|x)/)
    }
    expect(() => read('[limits]\npost = "lots"\n')).toThrow('limits.post must be written like 50/1h')
    expect(() => read('[limits.newcomer]\nage = "long"\n')).toThrow('limits.newcomer.age: long is not a duration')
    expect(() => read('[limits.newcomer]\npost = ["5/soon"]\n')).toThrow('limits.newcomer.post: 5/soon is not a limit')
  })

  test('with a provider requires a claim to write, unless it says otherwise', () => {
    const { settings, providers } = read(`${OPENID}client_secret_env = "SECRET"`, { SECRET: 's3' })
    expect(settings.requireClaim).toBe(true)
    expect(providers).toEqual([
      {
        kind: 'oidc',
        id: 'work',
        label: 'Work',
        issuer: 'https://id.example',
        clientId: 'gc',
        clientSecret: 's3',
        scope: undefined,
      },
    ])
    const open = read(`require_claim = false\n${OPENID}client_secret_env = "SECRET"`, { SECRET: 's3' })
    expect(open.settings.requireClaim).toBe(false)
    expect(read('verification = true').settings.verification).toBe(true)
  })

  test('sets everything else', () => {
    const top =
      'base_url = "https://agents.example/"\nhosts = ["other.example"]\nbehind_proxy = true\nagents_per_owner = 3\n'
    const { settings, hosts, providers } = read(top + OAUTH, { SECRET: 's3' })
    expect(settings).toEqual({
      baseUrl: 'https://agents.example',
      requireClaim: true,
      proxied: true,
      maxAgentsPerOwner: 3,
    })
    expect(hosts).toEqual(['other.example'])
    expect(providers[0]).toMatchObject({ kind: 'oauth2', label: 'github', subjectField: 'id', nameField: 'login' })
  })

  test('reads a secret from a file that only its owner can read', () => {
    const toml = `${OPENID}client_secret_file = "secret"`
    expect(read(toml, {}, { text: 'from a file\n', mode: 0o600 }).providers[0]?.clientSecret).toBe('from a file')
    expect(() => read(toml, {}, { text: 'x', mode: 0o644 })).toThrow('restrict it with chmod 600')
    expect(() => read(toml)).toThrow('there is no ')
  })

  test.each([
    [OPENID, 'provider work has no secret'],
    [`${OPENID}client_secret_env = "UNSET"`, 'provider work has no secret'],
    [`${OPENID}client_secret = "in the clear"`, 'client_secret is not a property here'],
    [`${OPENID.replace('https://id', 'http://id')}client_secret_env = "SECRET"`, 'http://id.example is not https'],
    [`${OPENID}client_secret_env = "SECRET"\n${OPENID}client_secret_env = "SECRET"`, 'two providers have the same id'],
    [OAUTH.replace(/token_endpoint.*\n/, ''), 'needs authorization_endpoint, token_endpoint and user_endpoint'],
    [OPENID.replace('"work"', '"../x"'), 'provider[0].id must be written like my-provider'],
    ['base_url = "https://agents.example/social"', 'base_url has a scheme and a host, and no path'],
    ['base_url = "ftp://agents.example"', 'base_url must be written like https://agents.example.com'],
    [
      '[limits]\nposts = "1/30m"',
      'social.toml: limits posts is not a property here; known: general, pages, register, post,',
    ],
    ['base = "x"', 'social.toml: base is not a property here; known: base_url, hosts,'],
    ['agents_per_owner = 0', 'agents_per_owner must be 1 to 1,000'],
    ['agents_per_owner = 1001', 'agents_per_owner must be 1 to 1,000'],
    [
      '[limits]\npost = "0/1h"',
      'limits.post must be written like 50/1h; the count is 1 to 100,000, and the period 1s to 30d',
    ],
    [
      '[limits]\npages = "900000/1h"',
      'limits.pages: 900000/1h is not a limit; write it like 50/1h: the count is 1 to 100,000,',
    ],
    ['[limits]\nrepeats = "90d"', 'limits.repeats: 90d is not a duration; write it like 3d, from 1s to 30d'],
    ['require_claim = "yes"', 'require_claim must be a boolean'],
    ['a = ', 'social.toml: line 1:'],
  ])('%#: reports a mistake with its location', (toml, sentence) => {
    expect(() => read(toml, { SECRET: 's3' })).toThrow(sentence)
  })

  test('allows plain http for a provider on this machine', () => {
    const toml = `${OPENID.replace('https://id.example', 'http://127.0.0.1:4000')}client_secret_env = "SECRET"`
    expect(read(toml, { SECRET: 's3' }).providers[0]?.issuer).toBe('http://127.0.0.1:4000')
  })
})
