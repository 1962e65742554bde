import { describe, expect, test } from 'bun:test'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type {
  AccountResponse,
  Agent,
  KeyListResponse,
  NewKeyResponse,
  RegistrationResponse,
} from '../../src/social/accounts/schema.ts'
import type { SigningKeyListResponse } from '../../src/social/accounts/signatures/schema.ts'
import type { NewCommentResponse, PostResponse } from '../../src/social/comments/schema.ts'
import type { SubmoltListResponse } from '../../src/social/communities/schema.ts'
import type { NewPostResponse, PostListResponse } from '../../src/social/posts/schema.ts'
import type { SearchResponse } from '../../src/social/search/schema.ts'
import type { VoteResponse } from '../../src/social/votes/schema.ts'
import { gc } from './shell.ts'
import { openTown, shareTown, type Town } from './town.ts'

let town: Town
shareTown(async (opened) => {
  town = opened
  await town.json(['social', 'register', 'ada', '-d', 'I count'])
})

const KEY = /moltbook_[0-9a-f]{64}/
const social = (...args: string[]) => town.gc(['social', ...args])
const json = <T>(...args: string[]) => town.json<T>(['social', ...args])
const fileOf = (name: string) => join(town.home, 'social-keys', name)
const keyOf = (name: string) => readFileSync(fileOf(name), 'utf8').trim()
const statusOf = async (name: string): Promise<Agent> => (await json<AccountResponse>('me', '--as', name)).agent

describe('gc social register', () => {
  test('stores the key in a file that only its owner can read, and never prints it', async () => {
    const result = await social('register', 'bob', '-d', 'I build')
    expect(result).toMatchObject({ status: 0, err: '' })
    expect(result.out).toContain('bob is registered')
    expect(result.out).toContain('/claim/moltbook_claim_')
    expect(result.out).not.toMatch(KEY)
    expect(keyOf('bob')).toMatch(/^moltbook_[0-9a-f]{64}$/)
    expect(statSync(fileOf('bob')).mode & 0o777).toBe(0o600)
    expect(statSync(join(town.home, 'social-keys')).mode & 0o777).toBe(0o700)
    const wire = await json<RegistrationResponse>('register', 'cyd')
    expect(wire).toMatchObject({ success: true, agent: { name: 'cyd', api_key: `kept in ${fileOf('cyd')}` } })
    expect((await statusOf('CYD')).name).toBe('cyd')
  })

  test('overwrites no key, and leaves no file when it fails', async () => {
    const before = keyOf('ada')
    expect(await social('register', 'Ada')).toMatchObject({ status: 1, err: expect.stringContaining('already') })
    expect(keyOf('ada')).toBe(before)
    const elsewhere = { env: { GC_HOME: town.at('other-home') } }
    const result = await town.gc(['social', 'register', 'ada', '--url', town.url], elsewhere)
    expect(result).toEqual({ status: 1, out: '', err: 'gc: Name already taken\n' })
    expect(readdirSync(town.at('other-home', 'social-keys'))).toEqual([])
    expect((await social('register', '../ada')).status).toBe(2)
    expect(existsSync(join(town.home, 'ada'))).toBe(false)
  })
})

describe('the acting agent', () => {
  test('is the one of --as, or of the key in GC_SOCIAL_KEY', async () => {
    await json('register', 'dee')
    expect((await statusOf('dee')).name).toBe('dee')
    const env = { GC_SOCIAL_KEY: keyOf('dee') }
    expect((await town.json<AccountResponse>(['social', 'me'], { env })).agent.name).toBe('dee')
    expect((await town.json<AccountResponse>(['social', '--as', 'ada', 'me'], { env })).agent.name).toBe('ada')
  })

  test('is the only registered one; with none or several it is an error', async () => {
    const home = town.at('lone-home')
    const run = (...args: string[]) => town.gc(['social', ...args], { env: { GC_HOME: home, GC_SOCIAL_URL: town.url } })
    expect(await run('me')).toMatchObject({ status: 1, err: expect.stringContaining('gc social register') })
    await run('register', 'lone')
    expect((await run('me')).out).toContain('lone')
    await run('register', 'lone2')
    expect(await run('me')).toMatchObject({
      status: 2,
      err: expect.stringMatching(/^gc: which agent\? There are lone, lone2; say `--as <name>`\n/),
    })
    expect(await run('me', '--as', 'eve')).toMatchObject({ status: 1, err: expect.stringContaining('no key of eve') })
  })

  test('finds the network of the running supervisor, and reports when none answers', async () => {
    const { status, out } = await gc(['social', 'me', '--as', 'ada'], { env: { GC_HOME: town.home } })
    expect({ status, name: out.split('\n')[0] }).toEqual({ status: 0, name: 'name        ada' })
    const lost = await social('me', '--as', 'ada', '--url', 'http://127.0.0.1:9')
    expect(lost).toMatchObject({ status: 1, err: expect.stringContaining('answers at http://127.0.0.1:9') })
  })

  test.each(['{"hello":"world"}', '[]', 'null'])('reports what is not a network: %s', async (answer) => {
    await using stranger = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => new Response(answer) })
    const url = stranger.url.origin
    for (const words of [
      ['me', '--as', 'ada'],
      ['register', 'eve'],
    ]) {
      const { status, err } = await social(...words, '--url', url)
      expect([status, err]).toEqual([
        1,
        expect.stringContaining(`what answers at ${url} is not a social network of agents`),
      ])
    }
    expect(existsSync(fileOf('eve'))).toBe(false)
  })
})

test('a network with an address of its own is found there', async () => {
  await using apart = await openTown({ social: { host: '127.0.0.1', port: 0 } })
  const supervisor = JSON.parse(readFileSync(join(apart.home, 'supervisor.json'), 'utf8'))
  expect(supervisor.social).not.toBe(supervisor.url)
  await apart.json(['social', 'register', 'ada'])
  expect((await apart.json<AccountResponse>(['social', 'claim', 'approve', 'ada'])).agent.is_claimed).toBe(true)
  expect((await apart.gc(['social', 'me', '--url', supervisor.url])).status).toBe(1)
}, 20_000)

describe('an agent', () => {
  test('posts, comments, votes, follows, searches and reads', async () => {
    await json('register', 'fay')
    const fay = ['--as', 'fay']
    const { post } = await json<NewPostResponse>('post', 'On parsnips', 'They keep.', ...fay)
    expect(post).toMatchObject({ title: 'On parsnips', content: 'They keep.', submolt_name: 'general' })
    const ada = ['--as', 'ada']
    const { comment } = await json<NewCommentResponse>('comment', post.id, '-m', 'They do', ...ada)
    await json('comment', post.id, 'Indeed', '--reply-to', comment.id, ...fay)
    expect(await json<VoteResponse>('vote', post.id, 'up', ...ada)).toMatchObject({ action: 'upvoted', score: 1 })
    expect(await json<VoteResponse>('vote', post.id, 'up', ...ada)).toMatchObject({ action: 'unchanged', score: 1 })
    expect(await json<VoteResponse>('vote', comment.id, 'down', '--comment', ...fay)).toMatchObject({ score: -1 })
    expect(await json('follow', 'fay', ...ada)).toMatchObject({ action: 'followed' })
    expect((await json<PostListResponse>('feed', ...ada)).posts.map(({ id }) => id)).toEqual([post.id])
    expect((await json<PostListResponse>('feed', '--submolt', 'general', ...ada)).posts.length).toBe(1)
    expect(await json('unfollow', 'fay', ...ada)).toMatchObject({ action: 'unfollowed' })
    expect((await json<PostListResponse>('feed', '--all', '--sort', 'new', ...ada)).posts[0]?.id).toBe(post.id)
    expect((await json<SearchResponse>('search', 'parsnips', ...ada)).results[0]?.id).toBe(post.id)
    expect((await json<PostResponse>('show', post.id, ...ada)).comments[0]?.replies[0]?.content).toBe('Indeed')
    const shown = (await social('show', post.id, ...ada)).out
    expect(shown).toContain('They keep.\n\nada (-1)')
    expect((await social('feed', '--all', ...ada)).out).toContain('On parsnips')
  })

  test('reads what it posts from standard input, and posts links', async () => {
    await json('register', 'gus')
    await json('register', 'hal')
    const stdin = 'from a pipe'
    const made = await town.json<NewPostResponse>(['social', 'post', 'Piped', '-', '--as', 'gus'], { stdin })
    expect(made.post.content).toBe(stdin)
    const { post } = await json<NewPostResponse>('post', 'Linked', '--link', 'https://example.org/', '--as', 'hal')
    expect(post).toMatchObject({ type: 'link', url: 'https://example.org/' })
  })

  test('creates, joins and leaves communities', async () => {
    const ada = ['--as', 'ada']
    await json('submolts', 'create', 'roots', '-d', 'What grows below', ...ada)
    await json('register', 'ian')
    expect(await json('submolts', 'subscribe', 'roots', '--as', 'ian')).toMatchObject({ action: 'subscribed' })
    expect(await json('submolts', 'leave', 'roots', '--as', 'ian')).toMatchObject({ action: 'unsubscribed' })
    const { submolts } = await json<SubmoltListResponse>('submolts', '--sort', 'new', ...ada)
    expect(submolts[0]).toMatchObject({ name: 'roots', is_subscribed: true })
    expect((await social('submolts', ...ada)).out).toContain('What grows below')
  })

  test('rotates its key: the file has the new one, the old one stops working', async () => {
    await json('register', 'joy')
    const [joy, before] = [['--as', 'joy'], keyOf('joy')]
    const result = await social('key', 'rotate', ...joy)
    expect(result.status).toBe(0)
    expect(result.out).not.toMatch(KEY)
    expect(keyOf('joy')).not.toBe(before)
    expect(statSync(fileOf('joy')).mode & 0o777).toBe(0o600)
    const old = await town.gc(['social', 'me'], { env: { GC_SOCIAL_KEY: before } })
    expect(old).toEqual({ status: 1, out: '', err: 'gc: Invalid or expired token\n' })
    expect((await json<NewKeyResponse>('key', 'rotate', ...joy)).api_key).toBe(`kept in ${fileOf('joy')}`)
    const { keys } = await json<KeyListResponse>('key', ...joy)
    expect(keys).toMatchObject([{ label: 'rotated', current: true, ending: keyOf('joy').slice(-4) }])
    expect((await social('key', 'list', ...joy)).out).toContain('rotated')
    expect(await social('key', 'revoke', String(keys[0]?.id), ...joy)).toMatchObject({
      status: 1,
      err: 'gc: This is your only key; without it you could not use your account\n',
    })
  })
})

describe('the operator', () => {
  test('approves and releases a claim, suspends, reinstates and checks the counters', async () => {
    await json('register', 'kim')
    expect(await json('claim', '--as', 'kim')).toMatchObject({ status: 'pending_claim' })
    expect(await json('claim', 'renew', '--as', 'kim')).toMatchObject({ claim_url: expect.any(String) })
    expect(await social('claim', 'approve', 'kim')).toEqual({ status: 0, out: 'kim is claimed.\n', err: '' })
    expect(await json('claim', 'status', '--as', 'kim')).toMatchObject({ status: 'claimed' })
    expect(await json<AccountResponse>('claim', 'release', 'kim')).toMatchObject({ agent: { is_claimed: false } })
    const until = '2999-01-01T00:00:00Z'
    const suspended = await json<AccountResponse>('suspend', 'kim', '--reason', 'spam', '--until', until)
    expect(suspended.agent.status).toBe('suspended')
    expect((await social('claim', '--as', 'kim')).out).toBe(`Your account is suspended until ${until}: spam.\n`)
    expect(await social('feed', '--as', 'kim')).toMatchObject({
      status: 1,
      err: `gc: Your account is suspended until ${until}: spam\n`,
    })
    expect((await social('reinstate', 'kim')).out).toBe('kim may act again.\n')
    expect((await statusOf('kim')).status).toBe('pending_claim')
    expect(await social('doctor')).toEqual({ status: 0, out: 'All counters are right.\n', err: '' })
    expect(await json('doctor')).toEqual({ success: true, miscounts: [] })
    expect(town.reports).toEqual([])
  })

  test('reissues a lost key into the file of the old one', async () => {
    await json('register', 'lou')
    const [lou, lost] = [['--as', 'lou'], keyOf('lou')]
    rmSync(fileOf('lou'))
    const result = await social('key', 'reissue', 'lou')
    expect(result).toEqual({
      status: 0,
      out: `lou has a new key, stored in ${fileOf('lou')}; all others are revoked.\n`,
      err: '',
    })
    expect(statSync(fileOf('lou')).mode & 0o777).toBe(0o600)
    expect((await json<KeyListResponse>('key', ...lou)).keys).toMatchObject([{ label: 'from the operator' }])
    expect((await town.gc(['social', 'me'], { env: { GC_SOCIAL_KEY: lost } })).status).toBe(1)
    const again = await json<NewKeyResponse>('key', 'reissue', 'LOU')
    expect(again.api_key).toBe(`kept in ${fileOf('lou')}`)
    expect((await statusOf('lou')).name).toBe('lou')
    expect(await social('key', 'reissue', 'nobody')).toEqual({ status: 1, out: '', err: 'gc: Agent not found\n' })
    expect(existsSync(fileOf('nobody'))).toBe(false)
  })

  test('needs its token: not that of another home, a session or an agent', async () => {
    const others: Record<string, string>[] = [
      { GC_HOME: town.at('nowhere') },
      { GC_SESSION_ID: 'mp-7', GC_TOKEN: 'gcs_1' },
      { GC_SESSION_ID: 'mp-7' },
    ]
    for (const env of others) {
      const result = await town.gc(['social', 'claim', 'approve', 'ada', '--url', town.url], { env })
      expect(result).toMatchObject({ status: 1, out: '', err: expect.stringContaining('only the operator') })
    }
    const forged = await town.gc(['social', 'doctor'], { env: { GC_TOKEN: `gco_${'0'.repeat(64)}` } })
    expect(forged).toEqual({ status: 1, out: '', err: 'gc: Only the operator of this server may do this\n' })
    const stranger = await social('doctor', '--url', 'http://example.invalid')
    expect(stranger).toMatchObject({ status: 1, err: expect.stringContaining('no token for http://example.invalid') })
    expect(await social('suspend', 'nobody', '--reason', 'x')).toMatchObject({
      status: 1,
      err: 'gc: Agent not found\n',
    })
    expect((await statusOf('ada')).is_claimed).toBe(false)
  })
})

test.each([
  { args: ['vote', 'x', 'sideways'], says: 'up, down or none' },
  { args: ['post', 'title'], says: 'give a text or a --link' },
  { args: ['post', 'title', 'text', '--link', 'https://example.org'], says: 'not both' },
  { args: ['post', 'title', 'text', '-m', 'text'], says: 'once' },
  { args: ['comment', 'x'], says: 'give a text as an argument' },
  { args: ['feed', '--all', '--following'], says: 'give only one of' },
  { args: ['feed', '--limit', 'many'], says: 'integer' },
  { args: ['suspend', 'ada'], says: "required option '-r, --reason <text>'" },
  { args: ['key', 'burn'], says: "unknown command 'burn'" },
  { args: ['fed'], says: 'Did you mean feed?' },
])('a command line that is wrong ends with status 2: $args', async ({ args, says }) => {
  const { status, out, err } = await social(...args, '--as', 'ada')
  expect({ status, out }).toEqual({ status: 2, out: '' })
  expect(err).toContain(says)
})

describe('gc social keygen', () => {
  test('keeps the private key in a file, signs every request with it, and can end API keys', async () => {
    await json('register', 'sig')
    const made = await social('keygen', '--as', 'sig')
    expect(made).toMatchObject({ status: 0, err: '' })
    const path = `${fileOf('sig')}.pem`
    expect(made.out).toContain(path)
    expect(made.out).not.toContain('PRIVATE')
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect((await social('key', 'signing', '--as', 'sig')).out).toMatch(/yes/)
    const bearer = keyOf('sig')
    const only = await json<{ key_id: string }>('keygen', '--only', '--as', 'sig')
    expect(existsSync(fileOf('sig'))).toBe(false)
    expect((await social('post', 'Signed', 'by me', '--as', 'sig')).status).toBe(0)
    expect((await statusOf('sig')).posts_count).toBe(1)
    expect((await town.gc(['social', 'me'], { env: { GC_SOCIAL_KEY: bearer } })).status).toBe(1)
    const { keys } = await json<SigningKeyListResponse>('key', 'signing', '--as', 'sig')
    const [first] = keys.filter(({ id }) => id !== only.key_id)
    expect((await social('key', 'revoke', String(first?.id), '--as', 'sig')).status).toBe(0)
    expect((await social('key', 'revoke', only.key_id, '--as', 'sig')).err).toContain('only signing key')
  })

  test('prints the headers that sign one request, once', async () => {
    await json('register', 'nat')
    const path = '/api/v1/agents/me'
    expect((await social('sign', 'PATCH', path, '--as', 'nat')).err).toContain('gc social keygen')
    await json('keygen', '--as', 'nat')
    const body = '{"description":"signed"}'
    const { out } = await town.gc(['social', 'sign', 'patch', path, '--body', '-', '--as', 'nat'], { stdin: body })
    const headers = out
      .trim()
      .split('\n')
      .map((line): [string, string] => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)])
    const send = () =>
      fetch(town.url + path, { method: 'PATCH', body, headers: [...headers, ['Content-Type', 'application/json']] })
    expect((await send()).status).toBe(200)
    expect((await send()).status).toBe(401)
    expect((await social('sign', 'GET', path, '--body', 'absent', '--as', 'nat')).err).toContain('cannot read')
    expect((await social('sign', 'GET', 'http://', '--as', 'nat')).status).toBe(2)
  })
})

describe('gc social export', () => {
  test('writes a signed file that is verified without a network, and refuses what was changed', async () => {
    await json('register', 'tim')
    expect((await social('export', town.at('tim.gz'), '--as', 'tim')).err).toContain('gc social keygen')
    await json('keygen', '--only', '--as', 'tim')
    await json('post', 'To take along', 'text', '--as', 'tim')
    const file = town.at('tim.gz')
    expect((await social('export', file, '--as', 'tim')).out).toContain('1 posts')
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect((await social('export', file, '--as', 'tim')).err).toContain('exists')
    const offline = { env: { GC_HOME: town.at('nowhere'), GC_SOCIAL_URL: 'http://127.0.0.1:1' } }
    expect((await town.gc(['social', 'verify', file], offline)).out).toContain('whole, and signed')
    expect((await social('import', file, 'tim')).out).toBe('tim has 0 more posts, 0 comments and 0 follows.\n')
    await json('register', 'ivy')
    await json('keygen', '--as', 'ivy')
    await social('follow', 'ivy', '--as', 'tim')
    const later = town.at('tim-2.gz')
    await social('export', later, '--as', 'tim')
    const { keys } = await json<SigningKeyListResponse>('key', 'signing', '--as', 'ivy')
    await social('key', 'revoke', String(keys[0]?.id), '--as', 'ivy')
    expect((await social('import', later, 'tim')).out).toContain('follows 1 more as soon as they are here')
    expect((await social('import', file, 'ada')).err).toContain('does not have the key')
    expect((await social('keygen', '--key', town.at('absent'), '--as', 'ada')).err).toContain('no key file')
    expect((await social('keygen', '--key', file, '--as', 'ada')).err).toContain('not a private Ed25519 key')
    expect((await social('keygen', '--key', `${fileOf('tim')}.pem`, '--as', 'ada')).err).toContain('registered already')
    writeFileSync(file, gzipSync(gunzipSync(readFileSync(file)).toString().replace('To take', 'To fake')))
    expect(await town.gc(['social', 'verify', file], offline)).toMatchObject({
      status: 1,
      err: expect.stringContaining('was changed'),
    })
    writeFileSync(file, 'no gzip')
    expect((await social('verify', file)).err).toContain('damaged')
    writeFileSync(file, gzipSync(Buffer.alloc(140 * 1024 * 1024)))
    expect((await social('verify', file)).err).toContain('damaged')
    expect((await social('import', town.at('absent'), 'tim')).err).toContain('there is no file')
  })
})
