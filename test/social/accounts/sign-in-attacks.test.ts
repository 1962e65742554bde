import { describe, expect, test } from 'bun:test'
import { query } from '../../../src/core/store/index.ts'
import { Browser } from '../browser.ts'
import { type Forgery, openProvider, openRogueProvider } from '../identity-provider.ts'
import { openSite, type Site } from '../site.ts'

const isReturn = ({ pathname }: URL): boolean => pathname.endsWith('/return')

/** Goes through the provider as a person, up to the way back. */
async function goThrough(browser: Browser, site: Site, name: string, to = '/me'): Promise<string> {
  const login = await browser.open(`${site.url}/sign-in/local?to=${encodeURIComponent(to)}`)
  const consent = await browser.send(login, /interaction/, { login: name, password: 'any' })
  return (await browser.send(consent, /interaction/, {}, isReturn)).url
}

async function openWith(settings: Parameters<typeof openSite>[0] = {}) {
  const identity = await openProvider()
  const site = await openSite({ ...settings, providers: [identity.settings()] })
  identity.serve(site.url)
  return {
    ...{ identity, site },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await identity[Symbol.asyncDispose]()
    },
  }
}

const isIn = async (browser: Browser, site: Site): Promise<boolean> =>
  (await browser.open(`${site.url}/me`)).text.includes('Sign out')

describe('attacks on signing in with a real provider', () => {
  test('the callback works once', async () => {
    await using world = await openWith()
    const browser = new Browser()
    const back = await goThrough(browser, world.site, 'ada')
    expect((await browser.open(back)).status).toBe(200)
    expect(await isIn(browser, world.site)).toBe(true)
    expect((await browser.open(back)).status).toBe(403)
  })

  test('a callback sent to another browser does not sign in there', async () => {
    await using world = await openWith()
    const back = await goThrough(new Browser(), world.site, 'mallory')
    const victim = new Browser()
    expect((await victim.open(back)).status).toBe(403)
    const another = await goThrough(new Browser(), world.site, 'mallory')
    const waiting = new Browser()
    await waiting.open(`${world.site.url}/sign-in/local`)
    expect((await waiting.open(another)).status).toBe(403)
    expect(await isIn(waiting, world.site)).toBe(false)
  })

  test('a stolen code is useless with another state, because its verifier is missing', async () => {
    await using world = await openWith()
    const { site } = world
    const stolen = new URL(await goThrough(new Browser(), site, 'ada'))
    const thief = new Browser()
    const own = new URL(await goThrough(thief, site, 'mallory'))
    own.searchParams.set('code', stolen.searchParams.get('code') ?? '')
    expect((await thief.open(own.href)).status).toBe(403)
    expect(await isIn(thief, site)).toBe(false)
    expect(site.errors.length).toBe(1)
  })

  test('a code is accepted once, whatever its state', async () => {
    await using world = await openWith()
    const { site } = world
    const browser = new Browser()
    const used = new URL(await goThrough(browser, site, 'ada'))
    await browser.open(used.href)
    const second = await browser.open(`${site.url}/sign-in/local`, isReturn)
    const fresh = new URL(second.url)
    fresh.searchParams.set('code', used.searchParams.get('code') ?? '')
    expect((await browser.open(fresh.href)).status).toBe(403)
  })

  test('a callback with no state, with another, too late, or at the URL of another provider is rejected', async () => {
    await using identity = await openProvider()
    await using site = await openSite({ providers: [identity.settings('local'), identity.settings('other', 'Other')] })
    identity.serve(site.url, ['local', 'other'])
    const browser = new Browser()
    const changed = async (change: (url: URL) => void) => {
      const url = new URL(await goThrough(new Browser(), site, 'ada'))
      change(url)
      return (await browser.open(url.href)).status
    }
    expect(await changed((url) => url.searchParams.delete('state'))).toBe(403)
    expect(await changed((url) => url.searchParams.set('state', 'x'))).toBe(403)
    const mixed = new URL(await goThrough(browser, site, 'ada'))
    mixed.pathname = '/sign-in/other/return'
    expect((await browser.open(mixed.href)).status).toBe(403)
    const late = await browser.open(`${site.url}/sign-in/local`, isReturn)
    await site.clock.advance(10 * 60_000)
    expect((await browser.open(late.url)).status).toBe(403)
    expect(await isIn(browser, site)).toBe(false)
  })

  test('a person who declines at the provider sees that and can try again', async () => {
    await using world = await openWith()
    const browser = new Browser()
    const login = await browser.open(`${world.site.url}/sign-in/local`)
    const abort = /href="([^"]+\/abort)"/.exec(login.text)?.[1] ?? ''
    const page = await browser.open(abort)
    expect(page.status).toBe(403)
    expect(page.text).toContain('Local did not sign you in (access_denied)')
  })

  test('signing in leads to pages of this server only', async () => {
    await using world = await openWith()
    const { site } = world
    const { claim } = await site.agent('robin')
    const bad = [
      'https://evil.example',
      '//evil.example',
      '/\\evil.example',
      '/me/../..//evil.example',
      '/me?x',
      'javascript:alert(1)',
    ]
    for (const to of [...bad, '/claim/a/b', '/claim/%0d%0aset-cookie:x', '']) {
      const browser = new Browser()
      expect([to, (await browser.open(await goThrough(browser, site, 'ada', to))).url]).toEqual([to, `${site.url}/me`])
    }
    const browser = new Browser()
    expect((await browser.open(await goThrough(browser, site, 'ada', claim))).url).toBe(site.url + claim)
  })

  test('forms from other sites, without a form token, or with that of another person do nothing', async () => {
    await using world = await openWith()
    const { site } = world
    const robin = await site.agent('robin')
    const browser = new Browser()
    const page = await browser.open(await goThrough(browser, site, 'ada', robin.claim))
    const formToken = /name="form_token" value="(\w+)"/.exec(page.text)?.[1] ?? ''
    const post = async (fields: Record<string, string>, headers: Record<string, string>) => {
      const body = new URLSearchParams({ code: robin.code, ...fields }).toString()
      const type = { 'content-type': 'application/x-www-form-urlencoded' }
      return (
        await browser.open(site.url + robin.claim, undefined, {
          method: 'POST',
          body,
          headers: { ...type, ...headers },
        })
      ).status
    }
    const origin = site.url
    expect(await post({ form_token: formToken }, {})).toBe(403)
    expect(await post({ form_token: formToken }, { origin: 'https://evil.example' })).toBe(403)
    expect(await post({ form_token: formToken }, { origin: 'null' })).toBe(403)
    expect(await post({ form_token: formToken }, { origin, 'content-type': 'text/plain' })).toBe(400)
    expect(await post({}, { origin })).toBe(403)
    expect(await post({ form_token: 'f'.repeat(64) }, { origin })).toBe(403)
    expect(await post({ form_token: formToken, code: 'x'.repeat(20_000) }, { origin })).toBe(413)
    expect(site.network.agents.need('robin').claimed_at).toBeNull()
    expect(await post({ form_token: formToken }, { origin })).toBe(200)
    expect(site.network.agents.need('robin').claimed_at).not.toBeNull()
  })

  test('cookies are hidden from scripts and other sites, and over https bound to this host', async () => {
    await using world = await openWith()
    const { site, identity } = world
    const browser = new Browser()
    const back = await goThrough(browser, site, 'ada')
    const first = await browser.open(back, () => true)
    const header = first.headers.get('set-cookie') ?? ''
    expect(header).toMatch(/^gc-session=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/)
    const cookie = browser.cookie(site.url, 'gc-session') ?? ''
    const rows = JSON.stringify(site.network.store.all(query<unknown>('SELECT * FROM guests')))
    expect(rows).toContain('ada')
    expect(rows).not.toContain(cookie)
    await using secure = await openSite({
      settings: { baseUrl: 'https://agents.example' },
      providers: [identity.settings()],
    })
    const left = await secure.page('/sign-in/local')
    expect(left.headers.get('set-cookie')).toMatch(
      /^__Host-gc-signin=[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax; Secure; Max-Age=600$/,
    )
    expect(left.headers.get('location')).toContain(encodeURIComponent('https://agents.example/sign-in/local/return'))
  })

  test('people of a provider that is no longer configured are signed out', async () => {
    await using world = await openWith()
    const { site, identity } = world
    const { store } = site.network
    const { SignInSessions } = await import('../../../src/social/accounts/sign-in/sessions.ts')
    const key = `oidc:${identity.issuer}`
    const cookie = await new SignInSessions(store, site.clock, new Set([key])).create(
      { provider: key, subject: 'ada' },
      undefined,
    )
    expect(new SignInSessions(store, site.clock, new Set([key])).find(cookie)?.person.subject).toBe('ada')
    expect(new SignInSessions(store, site.clock, new Set(['oidc:https://other.example'])).find(cookie)).toBeUndefined()
  })
})

const now = () => Math.floor(Date.now() / 1000)
const FORGED: Record<string, Forgery> = {
  'another nonce': { claims: (claims) => ({ ...claims, nonce: 'another' }) },
  'no nonce': { claims: ({ nonce: _, ...claims }) => claims },
  'another audience': { claims: (claims) => ({ ...claims, aud: 'another client' }) },
  'many audiences': { claims: (claims) => ({ ...claims, aud: [claims.aud, 'another client'], azp: 'another client' }) },
  'another issuer in the token': { claims: (claims) => ({ ...claims, iss: 'https://other.example' }) },
  'another issuer on the way back': { iss: 'https://other.example' },
  'a token that has ended': { claims: (claims) => ({ ...claims, iat: now() - 600, exp: now() - 300 }) },
  'a token without a subject': { claims: ({ sub: _, ...claims }) => claims },
  'no token': { noToken: true },
  'a token signed by somebody else': { foreignKey: true },
  'a token nobody signed': { unsigned: true },
}

describe('attacks on signing in by the provider or on the callback', () => {
  test('an honest provider signs a person in, with a verifier, a state and a nonce', async () => {
    await using rogue = openRogueProvider()
    await using site = await openSite({ providers: [rogue.settings()] })
    const browser = new Browser()
    expect((await browser.open(`${site.url}/sign-in/rogue`)).url).toBe(`${site.url}/me`)
    expect(await isIn(browser, site)).toBe(true)
    const authorization = new URL(browser.trail.find((url) => url.includes('/auth?')) ?? '').searchParams
    expect(authorization.get('code_challenge_method')).toBe('S256')
    for (const name of ['state', 'nonce', 'code_challenge']) expect(authorization.get(name)?.length).toBe(43)
    const verifier = rogue.tokenRequests[0]?.get('code_verifier') ?? ''
    expect(new Bun.CryptoHasher('sha256').update(verifier).digest('base64url')).toBe(
      authorization.get('code_challenge') ?? '',
    )
  })

  test('a provider that accepts every code twice, at every URL, still signs in once and at its own URL', async () => {
    await using rogue = openRogueProvider()
    await using site = await openSite({ providers: [rogue.settings('rogue'), rogue.settings('twin', 'Twin')] })
    const browser = new Browser()
    await browser.open(`${site.url}/sign-in/rogue`)
    const back = browser.trail.find((url) => url.includes('/return?')) ?? ''
    expect((await browser.open(back)).status).toBe(403)
    const mixed = new URL((await new Browser().open(`${site.url}/sign-in/rogue`, isReturn)).url)
    const own = new URL((await browser.open(`${site.url}/sign-in/rogue`, isReturn)).url)
    for (const url of [mixed, own]) url.pathname = '/sign-in/twin/return'
    expect((await browser.open(mixed.href)).status).toBe(403)
    expect((await browser.open(own.href)).status).toBe(403)
    expect(rogue.tokenRequests.length).toBe(1)
  })

  test.each(Object.entries(FORGED))('%s does not sign in', async (_, forgery) => {
    await using rogue = openRogueProvider(forgery)
    await using site = await openSite({ providers: [rogue.settings()] })
    const browser = new Browser()
    const page = await browser.open(`${site.url}/sign-in/rogue`)
    expect(page.status).toBe(403)
    expect(page.text).toContain('Signing in with Rogue failed; go back and start again.')
    expect(await isIn(browser, site)).toBe(false)
    expect(site.errors.length).toBe(1)
  })

  test('the same subject at two providers is two people', async () => {
    await using rogue = openRogueProvider({ claims: (claims) => ({ ...claims, sub: 'ada' }) })
    await using identity = await openProvider()
    await using site = await openSite({ providers: [identity.settings(), rogue.settings()] })
    identity.serve(site.url)
    const robin = await site.agent('robin')
    const ada = new Browser()
    const page = await ada.open(await goThrough(ada, site, 'ada', robin.claim))
    expect((await ada.send(page, robin.claim, { code: robin.code })).text).toContain('aria-label="robin"')
    const eve = new Browser()
    expect((await eve.open(`${site.url}/sign-in/rogue`)).text).toContain('You have not claimed an agent yet')
  })

  test('a provider that cannot be reached is reported, and the visitor can retry', async () => {
    const gone = openRogueProvider()
    await gone[Symbol.asyncDispose]()
    await using site = await openSite({ providers: [gone.settings()] })
    const page = await site.page('/sign-in/rogue')
    expect(page.status).toBe(403)
    expect(await page.text()).toContain('go back and start again')
    expect((await site.page('/sign-in/unheard-of')).status).toBe(404)
  })
})
