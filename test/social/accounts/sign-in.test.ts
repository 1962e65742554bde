import { describe, expect, test } from 'bun:test'
import { Browser, type Page } from '../browser.ts'
import { openAccounts, openProvider } from '../identity-provider.ts'
import { openSite, type Site } from '../site.ts'

/** A site where people sign in at a real OpenID provider. */
async function openWith(settings: Parameters<typeof openSite>[0] = {}) {
  const identity = await openProvider()
  const site = await openSite({ ...settings, providers: [identity.settings()] })
  identity.serve(site.url)
  return {
    identity,
    site,
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await identity[Symbol.asyncDispose]()
    },
  }
}

const linkOn = (page: Page, beginning: string): string => {
  const href = new RegExp(`href="(${beginning}[^"]*)"`).exec(page.text)?.[1]
  if (!href) throw new Error(`no link to ${beginning} on ${page.url}`)
  return new URL(href.replaceAll('&amp;', '&'), page.url).href
}

/** Signs in where a page asks for it, as anybody. */
async function signIn(browser: Browser, from: string, name: string): Promise<Page> {
  const page = await browser.open(linkOn(await browser.open(from), '/sign-in/local'))
  const consent = await browser.send(page, /interaction/, { login: name, password: 'any' })
  return browser.send(consent, /interaction/)
}

/** Claims an agent as a person. */
async function claim(
  site: Site,
  browser: Browser,
  agent: { claim: string; code: string },
  name: string,
): Promise<Page> {
  return browser.send(await signIn(browser, site.url + agent.claim, name), agent.claim, { code: agent.code })
}

const factsOf = async (site: Site, name: string) => site.network.agents.show(site.network.agents.need(name))

describe('the claim of an agent by a person', () => {
  test('anyone who signs in and has the code becomes the owner; the link works once', async () => {
    await using world = await openWith()
    const { site } = world
    const robin = await site.agent('robin')
    const browser = new Browser()
    const before = await browser.open(site.url + robin.claim)
    expect(before.text).toContain('Claim <bdi>robin</bdi>')
    expect(before.text).not.toContain('<form method="post"')
    const form = await signIn(browser, site.url + robin.claim, 'ada')
    expect(form.url).toBe(site.url + robin.claim)
    expect(form.text).toContain('Signed in as <bdi>ada &lt;b&gt;person&lt;/b&gt;</bdi> with Local')
    site.recorded()
    const done = await browser.send(form, robin.claim, { code: `  ${robin.code.toLowerCase().replace('-', ' ')} ` })
    expect(done.url).toBe(`${site.url}/me?done=claimed`)
    expect(done.text).toContain('aria-label="robin"')
    expect(site.recorded()).toEqual(['agent.claimed'])
    expect(await factsOf(site, 'robin')).toMatchObject({ is_claimed: true, status: 'active' })
    expect((await site.api('GET', '/agents/status', robin.key)).status).toBe('claimed')
    expect(await site.text('/u/robin')).toContain('claimed by a person')
    const used = await browser.open(site.url + robin.claim)
    expect([used.status, used.headers.get('cache-control')]).toEqual([404, 'no-store'])
    expect(used.text).toContain('<bdi>robin</bdi> has been claimed')
    expect(used.text).toContain('href="/u/robin"')
    expect((await browser.send(form, robin.claim, { code: robin.code })).text).toContain('has been claimed')
    expect(site.errors).toEqual([])
  })

  test('a wrong code is an error, and ten of them close the link', async () => {
    await using world = await openWith()
    const { site } = world
    const robin = await site.agent('robin')
    const browser = new Browser()
    let page = await signIn(browser, site.url + robin.claim, 'ada')
    for (let n = 0; n < 9; n++) {
      page = await browser.send(page, robin.claim, { code: 'reef-nope' })
      expect([page.status, page.text.includes('The code is wrong.')]).toEqual([400, true])
    }
    expect((await browser.send(page, robin.claim, { code: 'reef-nope' })).status).toBe(404)
    const closed = await browser.send(page, robin.claim, { code: robin.code })
    expect(closed.status).toBe(404)
    expect(closed.text).toContain('Too many wrong codes for <bdi>robin</bdi>')
    expect(closed.text).toContain('POST /api/v1/agents/me/claim')
    expect(closed.text).not.toContain('<input id="code"')
    expect(await factsOf(site, 'robin')).toMatchObject({ is_claimed: false })
    const { claim_url, verification_code } = await site.api('POST', '/agents/me/claim', robin.key)
    const again = { claim: new URL(claim_url).pathname, code: verification_code }
    const replaced = await browser.open(site.url + robin.claim)
    expect([replaced.status, replaced.text.includes('This claim link is not valid')]).toEqual([404, true])
    const form = await browser.open(site.url + again.claim)
    expect((await browser.send(form, again.claim, { code: again.code })).url).toEndWith('/me?done=claimed')
  })

  test('one person can claim a limited number of agents, and sees all of them', async () => {
    await using world = await openWith({ settings: { maxAgentsPerOwner: 2 } })
    const { site } = world
    const browser = new Browser()
    const agents = [await site.agent('one'), await site.agent('two'), await site.agent('three')]
    let page = await signIn(browser, `${site.url}/me`, 'ada')
    expect(page.text).toContain('You have not claimed an agent yet')
    for (const agent of agents) {
      page = await browser.send(await browser.open(site.url + agent.claim), agent.claim, { code: agent.code })
    }
    expect(page.status).toBe(400)
    expect(page.text).toContain('You have claimed 2 agents, which is the maximum.')
    const ownPage = await browser.open(`${site.url}/me`)
    expect([...ownPage.text.matchAll(/<section class="agent" aria-label="(\w+)"/g)].map(([, name]) => name)).toEqual([
      'one',
      'two',
    ])
  })

  test('without providers the page says how the operator approves, which works', async () => {
    await using site = await openSite()
    const robin = await site.agent('robin')
    const page = await site.text(robin.claim)
    expect(page).toContain('gc social claim approve robin')
    expect(page).not.toContain('/sign-in/')
    expect(await site.text('/me')).toContain('The operator of this server approves claims')
    await site.network.claims.approve('robin')
    expect(await site.text('/u/robin')).toContain('claimed by a person')
    expect((await site.page(robin.claim)).status).toBe(404)
  })

  test('an OAuth provider without OpenID signs people in by their account', async () => {
    await using accounts = openAccounts({ id: 4711, login: 'ada-l', name: null })
    await using site = await openSite({ providers: [accounts.settings] })
    const robin = await site.agent('robin')
    const browser = new Browser()
    const form = await browser.open(linkOn(await browser.open(site.url + robin.claim), '/sign-in/accounts'))
    expect(form.text).toContain('Signed in as <bdi>ada-l</bdi> with Accounts')
    expect((await browser.send(form, robin.claim, { code: robin.code })).url).toEndWith('/me?done=claimed')
    expect(site.errors).toEqual([])
  })
})

describe('actions of an owner', () => {
  test('a new key is shown once and revokes the others', async () => {
    await using world = await openWith()
    const { site } = world
    const robin = await site.agent('robin')
    const browser = new Browser()
    const ownPage = await claim(site, browser, robin, 'ada')
    site.recorded()
    const shown = await browser.send(ownPage, '/me/robin/key')
    const key = /moltbook_[0-9a-f]{64}/.exec(shown.text)?.[0] ?? ''
    expect(shown.headers.get('cache-control')).toBe('no-store')
    const owner = String((await factsOf(site, 'robin')).owner_id)
    expect(site.network.log.after(0, 1_000).slice(-2)).toMatchObject([{ actor: owner }, { actor: owner }])
    expect(site.recorded()).toEqual(['key.revoked', 'key.created'])
    expect((await site.api('GET', '/agents/me', key)).agent.name).toBe('robin')
    await expect(site.api('GET', '/agents/me', robin.key)).rejects.toThrow('401')
    expect((await browser.open(`${site.url}/me`)).text).not.toContain(key)
  })

  test('all keys can be revoked, and an agent suspended, reinstated and unclaimed', async () => {
    await using world = await openWith()
    const { site } = world
    const robin = await site.agent('robin')
    const browser = new Browser()
    let ownPage = await claim(site, browser, robin, 'ada')
    site.recorded()
    const owner = String((await factsOf(site, 'robin')).owner_id)
    ownPage = await browser.send(ownPage, '/me/robin/suspend')
    expect(ownPage.text).toContain('suspended by you')
    await expect(site.api('POST', '/submolts/general/subscribe', robin.key)).rejects.toThrow('403')
    expect(await site.text('/u/robin')).toContain('suspended')
    ownPage = await browser.send(ownPage, '/me/robin/resume')
    expect((await site.api('GET', '/agents/me', robin.key)).agent.status).toBe('active')
    const [stopped, started] = site.network.log.after(0, 1_000).slice(-2)
    expect([stopped?.actor, started?.actor]).toEqual([owner, owner])
    expect(site.recorded()).toEqual(['agent.suspended', 'agent.reinstated'])
    ownPage = await browser.send(ownPage, '/me/robin/revoke')
    expect(ownPage.text).toContain('Keys: 0')
    await expect(site.api('GET', '/agents/me', robin.key)).rejects.toThrow('401')
    ownPage = await browser.send(ownPage, '/me/robin/unclaim')
    expect(ownPage.text).toContain('You have not claimed an agent yet')
    expect(site.recorded()).toEqual(['key.revoked', 'agent.unclaimed'])
    expect(await factsOf(site, 'robin')).toMatchObject({ is_claimed: false, owner_id: null })
  })

  test('unclaiming an agent that its owner suspended ends the suspension, anyone who unclaims it', async () => {
    await using world = await openWith()
    const { site } = world
    const robin = await site.agent('robin')
    const browser = new Browser()
    const stopped = await browser.send(await claim(site, browser, robin, 'ada'), '/me/robin/suspend')
    expect(stopped.text).toContain('Your suspension ends then.')
    site.recorded()
    await browser.send(stopped, '/me/robin/unclaim')
    expect(site.recorded()).toEqual(['agent.reinstated', 'agent.unclaimed'])
    const { claim_url, verification_code: code } = await site.api('POST', '/agents/me/claim', robin.key)
    const renewed = { ...robin, claim: new URL(claim_url).pathname, code }
    await browser.send(await browser.open(site.url + renewed.claim), /claim/, { code })
    await browser.send(await browser.open(`${site.url}/me`), '/me/robin/suspend')
    await site.network.claims.release('robin')
    expect(await factsOf(site, 'robin')).toMatchObject({ status: 'pending_claim' })
    const { actor } = site.network.log.after(0, 1_000).at(-1) ?? {}
    expect(actor).toBe('operator')
    expect(site.recorded()).toEqual([
      ...['claim.renewed', 'agent.claimed', 'agent.suspended'],
      ...['agent.reinstated', 'agent.unclaimed'],
    ])
  })

  test('an agent that the operator suspended stays suspended when it is unclaimed', async () => {
    await using world = await openWith()
    const { site } = world
    const browser = new Browser()
    await claim(site, browser, await site.agent('robin'), 'ada')
    await site.network.suspensions.suspend('robin', 'spam')
    site.recorded()
    const page = await browser.open(`${site.url}/me`)
    expect(page.text).not.toContain('Your suspension ends then.')
    await browser.send(page, '/me/robin/unclaim')
    expect(await factsOf(site, 'robin')).toMatchObject({ status: 'suspended', is_claimed: false })
    expect(site.recorded()).toEqual(['agent.unclaimed'])
  })

  test('an owner cannot end a suspension by the operator', async () => {
    await using world = await openWith()
    const { site } = world
    const robin = await site.agent('robin')
    const browser = new Browser()
    const ownPage = await claim(site, browser, robin, 'ada')
    await site.network.suspensions.suspend('robin', 'spam')
    const page = await browser.open(`${site.url}/me`)
    expect(page.text).toContain('suspended by the operator')
    expect(page.text).not.toContain('/me/robin/resume')
    const formToken = /name="form_token" value="(\w+)"/.exec(ownPage.text)?.[1] ?? ''
    const forged = {
      ...ownPage,
      text: `<form action="/me/robin/resume"><input type="hidden" name="form_token" value="${formToken}"></form>`,
    }
    expect((await browser.send(forged, '/me/robin/resume')).status).toBe(403)
    const again = { ...forged, text: forged.text.replace('resume', 'suspend') }
    expect((await browser.send(again, '/me/robin/suspend')).status).toBe(403)
    expect(await factsOf(site, 'robin')).toMatchObject({ status: 'suspended' })
    expect(site.recorded().slice(-1)).toEqual(['agent.suspended'])
  })

  test('a suspension by the operator with the reason of an owner stays the operator’s', async () => {
    await using world = await openWith()
    const { site } = world
    const robin = await site.agent('robin')
    const browser = new Browser()
    await claim(site, browser, robin, 'ada')
    await site.network.suspensions.suspend('robin', 'suspended by its owner')
    const page = await browser.open(`${site.url}/me`)
    expect(page.text).toContain('suspended by the operator')
    expect(page.text).not.toContain('/me/robin/resume')
  })

  test('after a suspension by the operator ends the owner can suspend again; the operator can end both', async () => {
    await using world = await openWith()
    const { site } = world
    const robin = await site.agent('robin')
    const browser = new Browser()
    await claim(site, browser, robin, 'ada')
    await site.network.suspensions.suspend('robin', 'spam', site.clock.now() + 3_600_000)
    await site.clock.advance(3_600_000)
    site.recorded()
    const stopped = await browser.send(await browser.open(`${site.url}/me`), '/me/robin/suspend')
    expect(stopped.text).toContain('suspended by you')
    await expect(site.api('POST', '/submolts/general/subscribe', robin.key)).rejects.toThrow(
      'Your account is suspended until your owner ends it: suspended by its owner',
    )
    await browser.send(stopped, '/me/robin/resume')
    expect(await factsOf(site, 'robin')).toMatchObject({ status: 'active' })
    await browser.send(await browser.open(`${site.url}/me`), '/me/robin/suspend')
    await site.network.suspensions.reinstate('robin')
    await site.network.suspensions.reinstate('robin')
    expect(await factsOf(site, 'robin')).toMatchObject({ status: 'active' })
    const events = ['agent.suspended', 'agent.reinstated']
    expect(site.recorded()).toEqual([...events, ...events])
  })

  test('no one else can do any of this', async () => {
    await using world = await openWith()
    const { site } = world
    const robin = await site.agent('robin')
    const ownPage = await claim(site, new Browser(), robin, 'ada')
    const other = new Browser()
    const page = await claim(site, other, await site.agent('wren'), 'bob')
    const formToken = /name="form_token" value="(\w+)"/.exec(page.text)?.[1] ?? ''
    site.recorded()
    for (const verb of ['key', 'revoke', 'suspend', 'resume', 'unclaim']) {
      const text = `<form action="/me/robin/${verb}"><input type="hidden" name="form_token" value="${formToken}"></form>`
      expect([verb, (await other.send({ ...page, text }, /robin/)).status]).toEqual([verb, 404])
      const bySeal = ownPage.text.replace(/[\s\S]*(?=<section class="agent")/, '')
      const stranger = new Browser()
      expect(
        (await stranger.send({ ...page, text: bySeal }, `/me/robin/${verb === 'resume' ? 'suspend' : verb}`)).status,
      ).toBe(403)
    }
    expect(site.recorded()).toEqual([])
  })

  test('a session ends when the person signs out, and after eight hours', async () => {
    await using world = await openWith()
    const { site } = world
    const browser = new Browser()
    const page = await signIn(browser, `${site.url}/me`, 'ada')
    const word = browser.cookie(site.url, 'gc-session') ?? ''
    expect(page.text).toContain('Sign out')
    await browser.send(page, '/sign-out')
    expect(browser.cookie(site.url, 'gc-session')).toBeUndefined()
    browser.setCookie(site.url, 'gc-session', word)
    expect((await browser.open(`${site.url}/me`)).text).not.toContain('Sign out')
    const again = new Browser()
    await signIn(again, `${site.url}/me`, 'ada')
    await site.clock.advance(8 * 3_600_000 - 1)
    expect((await again.open(`${site.url}/me`)).text).toContain('Sign out')
    await site.clock.advance(1)
    expect((await again.open(`${site.url}/me`)).text).not.toContain('Sign out')
  })
})
