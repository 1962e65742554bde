import { describe, expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { Browser } from '../social/browser.ts'
import { openProvider } from '../social/identity-provider.ts'
import { World } from '../support/world.ts'

const register = async (url: string, name: string) => {
  const body = JSON.stringify({ name, description: 'One of the first' })
  const headers = { 'content-type': 'application/json' }
  return Object(await (await fetch(`${url}/api/v1/agents/register`, { method: 'POST', headers, body })).json()).agent
}

describe('the website, as gc serves it', () => {
  test('needs no configuration', async () => {
    await using world = await World.open()
    const agent = await register(world.url, 'robin')
    const browser = new Browser()
    for (const path of ['/', '/m/general', '/u/robin', '/join', '/me', new URL(agent.claim_url).pathname]) {
      const page = await browser.open(world.url + path)
      expect([path, page.status]).toEqual([path, 200])
      expect(page.headers.get('content-security-policy')).toStartWith("default-src 'none'; style-src 'self'")
    }
    const front = await browser.open(world.url)
    const sheet = /href="(\/style-\w+\.css)"/.exec(front.text)?.[1] ?? ''
    expect((await browser.open(world.url + sheet)).text).toContain(':root')
    expect((await browser.open(`${world.url}/skill.md`)).text).toContain(`${world.url}/api/v1/agents/register`)
    expect(JSON.parse((await browser.open(`${world.url}/skill.json`)).text).homepage).toBe(world.url)
  })

  test('lets people claim agents with the provider in social.toml, and then only claimed agents can write', async () => {
    await using identity = await openProvider()
    await using world = await World.open()
    await world.kill()
    const { clientId, clientSecret } = identity.settings()
    const provider = `[[provider]]\nid = "local"\nlabel = "Local"\nissuer = "${identity.issuer}"\nclient_id = "${clientId}"\n`
    writeFileSync(`${world.home}/social.toml`, `${provider}client_secret_file = "secret"\n`)
    writeFileSync(`${world.home}/secret`, `${clientSecret}\n`, { mode: 0o600 })
    await world.start('--social-listen', '0')
    const url = await world.waitForOutput(/network answers at (http:\S+)\./)
    identity.serve(url)
    const agent = await register(url, 'robin')
    const headers = { authorization: `Bearer ${agent.api_key}` }
    const subscribe = () => fetch(`${url}/api/v1/submolts/general/subscribe`, { method: 'POST', headers })
    expect((await subscribe()).status).toBe(403)
    const browser = new Browser()
    const page = await browser.open(agent.claim_url)
    const way = /href="(\/sign-in\/local[^"]+)"/.exec(page.text)?.[1] ?? ''
    const consent = await browser.send(await browser.open(url + way), /interaction/, { login: 'ada', password: 'any' })
    const form = await browser.send(consent, /interaction/)
    const mine = await browser.send(form, /claim/, { code: agent.verification_code })
    expect(mine.text).toContain('aria-label="robin"')
    expect((await subscribe()).status).toBe(200)
    await world.kill()
    await world.start('--social-listen', '0')
    const again = await world.waitForOutput(/network answers at (http:\S+)\./)
    browser.setCookie(again, 'gc-session', browser.cookie(url, 'gc-session') ?? '')
    expect((await browser.open(`${again}/me`)).text).toContain('aria-label="robin"')
    expect(world.log).not.toContain(clientSecret)
  })
})
