import { describe, expect, test } from 'bun:test'
import { compose } from '../../../src/config/compose/compose.ts'
import { formatDiagnostic } from '../../../src/config/files/diagnostics.ts'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import { cityFiles } from '../city-files.ts'

function composed(files: Record<string, string>) {
  using city = cityFiles(files)
  const { config, errors, warnings } = compose(new FileSnapshot(city.path))
  return { webhooks: config.webhooks, errors: errors.map(formatDiagnostic), warnings: warnings.map(formatDiagnostic) }
}

/** A webhook with one key changed or added, and the errors that it gives. */
const VALID: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  '': { name: '"github"' },
  publication: { visibility: '"public"', hostname: '"hooks"' },
  verify: { scheme: '"github-hmac-sha256"', secret_env: '"GITHUB_SECRET"' },
  rule: { event: '"pull_request"', match: '{ action = "opened" }', order: '"review"' },
}

type Changes = Readonly<Record<string, Readonly<Record<string, string | undefined>>>>

function webhook(changes: Changes = {}): string {
  const lines = Object.entries(VALID).flatMap(([section, keys]) => {
    const header = section === '' ? '[[webhook]]' : section === 'rule' ? '[[webhook.rule]]' : `[webhook.${section}]`
    const all = Object.entries({ ...keys, ...changes[section] }).filter(([, value]) => value !== undefined)
    return [header, ...all.map(([key, value]) => `${key} = ${value}`)]
  })
  return `${lines.join('\n')}\n`
}

const RIG = '[[rigs]]\nname = "shop"\npath = "/srv/shop"\n'
const JWT = {
  scheme: '"jwt-jwks"',
  secret_env: undefined,
  issuer: '"https://issuer.example"',
  audience: '"us"',
  jwks_url: '"https://issuer.example/keys"',
}
const PACK = '[pack]\nname = "forge"\nschema = 2\n'

describe('[[webhook]]', () => {
  test('has defaults for what it leaves out', () => {
    const { webhooks, errors, warnings } = composed({ 'city.toml': webhook() })
    expect({ errors, warnings }).toEqual({ errors: [], warnings: [] })
    const [github] = webhooks
    expect(github).toMatchObject({
      ...{ name: 'github', visibility: 'public', isCapped: false, hostname: 'hooks' },
      rate: { perMinute: 300, burst: 60 },
      verify: { scheme: 'github-hmac-sha256', secretEnv: 'GITHUB_SECRET', replayWindow: 300_000, allowedCidrs: [] },
      rules: [{ event: 'pull_request', match: { action: 'opened' }, target: 'order', order: 'review', args: {} }],
    })
  })

  const broken: [string, Changes, string][] = [
    ['no name', { '': { name: undefined } }, 'city.toml:1: [[webhook]] name: is required'],
    [
      'a name that is not a segment of an address',
      { '': { name: '"a/b"' } },
      'city.toml:2: [[webhook]] name: "a/b" must start with a letter or digit and contain only letters, digits, - and _',
    ],
    [
      'an unknown scope',
      { '': { scope: '"moon"' } },
      'city.toml:3: [[webhook]] scope: must be city or rig, not "moon"',
    ],
    ['no rig in a rig', { '': { scope: '"rig"' } }, 'city.toml:1: [[webhook]] rig: is required with scope = "rig"'],
    [
      'a rig that is not there',
      { '': { scope: '"rig"', rig: '"moon"' } },
      'city.toml:4: [[webhook]] rig: there is no rig "moon"',
    ],
    ['a rig in the city', { '': { rig: '"shop"' } }, 'city.toml:3: [[webhook]] rig: stands only beside scope = "rig"'],
    [
      'a negative limit',
      { '': { max_per_minute: '-1' } },
      'city.toml:3: [[webhook]] max_per_minute: must be 0 or more, not -1',
    ],
    [
      'an unknown visibility',
      { publication: { visibility: '"everybody"' } },
      'city.toml:4: [webhook.publication] visibility: must be private or tenant or public, not "everybody"',
    ],
    [
      'a host name of several labels',
      { publication: { hostname: '"a.b"' } },
      'city.toml:5: [webhook.publication] hostname: "a.b" must be one label of a host name',
    ],
    ['no scheme', { verify: { scheme: undefined } }, 'city.toml:6: [webhook.verify] scheme: is required'],
    [
      'an unknown scheme',
      { verify: { scheme: '"github"' } },
      'city.toml:7: [webhook.verify] scheme: must be github-hmac-sha256 or hmac-sha256 or slack-v0 or discord-ed25519 or jwt-jwks, not "github"',
    ],
    [
      'no secret',
      { verify: { secret_env: undefined } },
      'city.toml:6: [webhook.verify] secret_env: is required: the name of the environment variable that holds the secret',
    ],
    [
      'a secret where its variable is named',
      { verify: { secret_env: '"hunter 2"' } },
      'city.toml:8: [webhook.verify] secret_env: "hunter 2" is not the name of a variable',
    ],
    [
      'a header that cannot be',
      { verify: { signature_header: '"X Sig"' } },
      'city.toml:9: [webhook.verify] signature_header: "X Sig" is not the name of a header',
    ],
    [
      'an event header that cannot be',
      { verify: { event_header: '"a:b"' } },
      'city.toml:9: [webhook.verify] event_header: "a:b" is not the name of a header',
    ],
    [
      'a delivery header that cannot be',
      { verify: { dedup_header: '"a:b"' } },
      'city.toml:9: [webhook.verify] dedup_header: "a:b" is not the name of a header',
    ],
    [
      'a time that the scheme does not sign',
      { verify: { timestamp_header: '"X-Time"' } },
      'city.toml:9: [webhook.verify] timestamp_header: is nothing that github-hmac-sha256 uses; take it out',
    ],
    [
      'a window that is not a duration',
      { verify: { replay_window: '"soon"' } },
      'city.toml:9: [webhook.verify] replay_window: "soon" must be a duration between 1s and 24h, such as 5m',
    ],
    [
      'a window without end',
      { verify: { replay_window: '"48h"' } },
      'city.toml:9: [webhook.verify] replay_window: "48h" must be a duration between 1s and 24h, such as 5m',
    ],
    [
      'an issuer of signatures that have none',
      { verify: { issuer: '"x"' } },
      'city.toml:9: [webhook.verify] issuer: is nothing that github-hmac-sha256 uses; take it out',
    ],
    [
      'no issuer of tokens',
      { verify: { ...JWT, issuer: undefined } },
      'city.toml:6: [webhook.verify] issuer: is required: who signs the tokens, as their `iss` names it',
    ],
    [
      'no audience of tokens',
      { verify: { ...JWT, audience: undefined } },
      'city.toml:6: [webhook.verify] audience: is required: for whom the tokens are, as their `aud` names it',
    ],
    [
      'no keys of tokens',
      { verify: { ...JWT, jwks_url: undefined } },
      'city.toml:6: [webhook.verify] jwks_url: is required: the address of the issuer’s keys',
    ],
    [
      'keys that come unprotected',
      { verify: { ...JWT, jwks_url: '"http://issuer.example/keys"' } },
      'city.toml:10: [webhook.verify] jwks_url: "http://issuer.example/keys" must be an https:// address',
    ],
    [
      'a bearer token beside a token',
      { verify: { ...JWT, bearer_env: '"BEARER"' } },
      'city.toml:11: [webhook.verify] bearer_env: cannot stand beside a token in the Authorization header; name a signature_header',
    ],
    [
      'a bearer token where its variable is named',
      { verify: { bearer_env: '"Bearer x"' } },
      'city.toml:9: [webhook.verify] bearer_env: "Bearer x" is not the name of a variable',
    ],
    [
      'a network that is none',
      { verify: { allowed_cidrs: '["10.0.0.0/33"]' } },
      'city.toml:9: [webhook.verify] allowed_cidrs: "10.0.0.0/33" is not a network such as 192.0.2.0/24 or 2001:db8::/32',
    ],
    [
      'a rule without its order',
      { rule: { order: undefined } },
      'city.toml:9: [[webhook.rule]] order: is required: the order that is started',
    ],
    [
      'an unknown target',
      { rule: { target: '"mail"' } },
      'city.toml:13: [[webhook.rule]] target: must be order or conversation, not "mail"',
    ],
    [
      'a rule for a rig that is not there',
      { rule: { rig: '"moon"' } },
      'city.toml:13: [[webhook.rule]] rig: there is no rig "moon"',
    ],
    [
      'a path that is none',
      { rule: { match: '{ "label..name" = "x" }' } },
      'city.toml:11: [[webhook.rule]] match: "label..name" is not a path such as label.name',
    ],
    [
      'a match that is not text',
      { rule: { match: '{ labels = ["x"] }' } },
      'city.toml:11: [[webhook.rule]] match: "labels" must be a string in quotes',
    ],
    [
      'an argument that is not text',
      { rule: { args: '{ pr = { number = 1 } }' } },
      'city.toml:13: [[webhook.rule]] args: "pr" must be a string in quotes',
    ],
    [
      'a placeholder that cannot be read',
      { rule: { args: '{ pr = "{{pull request}}" }' } },
      'city.toml:13: [[webhook.rule]] args: "pr": "{{pull request}}" is not a placeholder such as {{repository.full_name}}',
    ],
    [
      'a conversation with an order',
      {
        rule: {
          target: '"conversation"',
          args: '{ provider = "chat", conversation_id = "{{channel}}", text = "{{text}}" }',
        },
      },
      'city.toml:12: [[webhook.rule]] order: stands beside target = "conversation"; take one of them out',
    ],
    [
      'a conversation without its text',
      {
        rule: { order: undefined, target: '"conversation"', args: '{ provider = "chat", conversation_id = "1" }' },
      },
      'city.toml:13: [[webhook.rule]] args: "text" is required with target = "conversation"',
    ],
  ]

  test.each(broken)('%s is an error with its place', (_, changes, error) => {
    expect(composed({ 'city.toml': webhook(changes) }).errors).toEqual([error])
  })

  test('needs a way to verify and a rule', () => {
    expect(composed({ 'city.toml': '[[webhook]]\nname = "x"\n' }).errors).toEqual([
      'city.toml:1: [[webhook]] verify: is required: [webhook.verify] says how the sender proves who it is',
      'city.toml:1: [[webhook]] rule: at least one [[webhook.rule]] is required: it says what follows',
    ])
  })

  test('has a name of its own', () => {
    expect(composed({ 'city.toml': webhook() + webhook() }).errors).toEqual([
      'city.toml:14: [[webhook]] name: webhook "github" is declared at city.toml:1 already',
    ])
  })

  test('of a rig starts the orders of that rig', () => {
    const { webhooks, errors } = composed({
      'city.toml': RIG + webhook({ '': { scope: '"rig"', rig: '"shop"' } }),
    })
    expect(errors).toEqual([])
    expect(webhooks[0]).toMatchObject({ rig: 'shop' })
  })
})

describe('[webhooks]', () => {
  const limits = '[webhooks.rate_limit]\nper_minute = 100\nburst = 10\n'

  test('limits all, each by name, and a webhook only further', () => {
    const named = '[[webhooks.rate_limit.override]]\nname = "github"\nper_minute = 900\nburst = 90\n'
    const rate = (text: string, changes?: Changes) =>
      composed({ 'city.toml': text + webhook(changes) }).webhooks[0]?.rate
    expect(rate(limits)).toEqual({ perMinute: 100, burst: 10 })
    expect(rate(limits + named)).toEqual({ perMinute: 900, burst: 90 })
    expect(rate(limits, { '': { max_per_minute: '5' } })).toEqual({ perMinute: 5, burst: 5 })
    expect(rate(limits, { '': { max_per_minute: '500' } })).toEqual({ perMinute: 100, burst: 10 })
  })

  test('says who signs tokens, over what the webhook says', () => {
    const policy = '[[webhooks.jwt_policy]]\nname = "github"\nissuer = "https://other.example"\n'
    const { webhooks, errors } = composed({ 'city.toml': policy + webhook({ verify: JWT }) })
    expect(errors).toEqual([])
    expect(webhooks[0]?.verify).toMatchObject({ issuer: 'https://other.example', audience: 'us' })
  })

  test.each([
    ['[webhooks.rate_limit]\nper_minute = 0\n', '[webhooks.rate_limit] per_minute: must be 1 or more, not 0'],
    ['[webhooks.rate_limit]\nburst = "x"\n', '[webhooks.rate_limit] burst: must be a whole number, not "x"'],
    ['[[webhooks.allow_public]]\nname = "github"\n', '[[webhooks.allow_public]] source: is required'],
    ['[[webhooks.jwt_policy]]\nissuer = "x"\n', '[[webhooks.jwt_policy]] name: is required'],
    ['[[webhooks.rate_limit.override]]\nburst = 1\n', '[[webhooks.rate_limit.override]] name: is required'],
  ])('is checked: %s', (text, error) => {
    expect(
      composed({ 'city.toml': text + webhook() }).errors.map((each) => each.replace(/^city.toml:\d+: /, '')),
    ).toEqual([error])
  })

  test('is warned of where it names a webhook that is not there', () => {
    const text = '[[webhooks.allow_public]]\nname = "gitlab"\nsource = "./packs/forge"\n'
    expect(composed({ 'city.toml': text + webhook() }).warnings).toEqual([
      'city.toml:2: [[webhooks.allow_public]] name: there is no webhook "gitlab"',
    ])
  })
})

describe('a webhook of a pack', () => {
  const imports = '[imports.forge]\nsource = "./packs/forge"\n'
  const from = (pack: string, city = '') =>
    composed({ 'city.toml': imports + city, 'packs/forge/pack.toml': PACK + pack })

  test('is not public unless the city allows the pack to publish it', () => {
    const capped = from(webhook())
    expect(capped.webhooks[0]).toMatchObject({ visibility: 'tenant', isCapped: true })
    expect(capped.warnings).toEqual([
      'packs/forge/pack.toml:7: [webhook.publication] visibility: other machines do not reach this webhook of a pack unless city.toml has [[webhooks.allow_public]] with name = "github" and the source of its pack',
    ])
    const grant = (source: string) => `[[webhooks.allow_public]]\nname = "github"\nsource = "${source}"\n`
    expect(from(webhook(), grant('./packs/forge')).webhooks[0]).toMatchObject({ visibility: 'public', isCapped: false })
    expect(from(webhook(), grant('./packs/other')).webhooks[0]).toMatchObject({ visibility: 'tenant', isCapped: true })
  })

  test('that is wrong takes no deliveries, and the others continue', () => {
    const broken = webhook({
      '': { name: '"bad"' },
      publication: { visibility: '"private"' },
      rule: { order: undefined },
    })
    const { webhooks, errors, warnings } = from(broken, webhook())
    expect(errors).toEqual([])
    expect(warnings).toEqual([
      'packs/forge/pack.toml:12: [[webhook.rule]] order: is required: the order that is started; the webhook takes no deliveries until this is fixed',
    ])
    const sentence = 'packs/forge/pack.toml:12: [[webhook.rule]] order: is required: the order that is started'
    expect(webhooks.map(({ name, broken }) => [name, broken])).toEqual([
      ['bad', sentence],
      ['github', undefined],
    ])
  })

  describe('for a rig', () => {
    const rig = (name: string, isImporting: boolean) =>
      `[[rigs]]\nname = "${name}"\npath = "/srv/${name}"\n${isImporting ? '[rigs.imports.forge]\nsource = "./packs/forge"\n' : ''}`
    const inRigs = (city: string, own: Readonly<Record<string, string>> = {}) => {
      const pack = PACK + webhook({ '': { scope: '"rig"', ...own }, publication: { visibility: '"private"' } })
      const { webhooks, errors, warnings } = composed({ 'city.toml': city, 'packs/forge/pack.toml': pack })
      expect(errors).toEqual([])
      return { webhooks: webhooks.map(({ rig: of, broken }) => [of, broken]), warnings }
    }
    const required = 'packs/forge/pack.toml:4: [[webhook]] rig: is required with scope = "rig"'

    test('is for the one that imports its pack, or that it names', () => {
      const city = rig('shop', true) + rig('barn', false)
      expect(inRigs(city)).toEqual({ webhooks: [['shop', undefined]], warnings: [] })
      expect(inRigs(city, { rig: '"barn"' })).toEqual({ webhooks: [['barn', undefined]], warnings: [] })
    })

    test.each([
      ['no rig imports', imports + rig('shop', false), ' unless a rig imports the pack'],
      [
        'two rigs import',
        rig('shop', true) + rig('barn', true),
        ': the pack is imported by shop and barn; declare one [[webhook]] for each in city.toml',
      ],
    ])('takes no deliveries while %s its pack', (_, city, sentence) => {
      expect(inRigs(city)).toEqual({
        webhooks: [[undefined, required + sentence]],
        warnings: [`${required}${sentence}; the webhook takes no deliveries until this is fixed`],
      })
    })
  })

  test('gives way to one of the city by the same name', () => {
    const { webhooks, errors } = from(webhook(), webhook({ verify: { secret_env: '"OTHER"' } }))
    expect(errors).toEqual([])
    expect(webhooks.map(({ verify }) => verify.secretEnv)).toEqual(['OTHER'])
  })
})
