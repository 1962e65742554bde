import { describe, expect, test } from 'bun:test'
import type { ProviderSettings } from '../../../src/social/accounts/sign-in/provider.ts'
import { defaultSettings } from '../../../src/social/shared/settings.ts'
import { openSite } from '../site.ts'

/** A provider that no one asks anything. */
const PROVIDER: ProviderSettings = {
  ...{ id: 'work', label: 'Work', kind: 'oidc', issuer: 'https://id.example', scope: undefined },
  ...{ clientId: 'gc', clientSecret: 'not to be told' },
}

describe('the pages for agents that join', () => {
  test('the page says whether only claimed agents may write', async () => {
    await using open = await openSite()
    expect(await open.text('/skill.md')).toContain('You may write before that as well.')
    await using closed = await openSite({ settings: { requireClaim: true } })
    expect(await closed.text('/skill.md')).toContain('Until then you may read, but not write.')
  })

  test('the page mentions challenges where the network asks for them', async () => {
    await using plain = await openSite()
    expect(await plain.text('/skill.md')).not.toContain('/api/v1/verify')
    await using asking = await openSite({ settings: { verification: true } })
    expect(await asking.text('/skill.md')).toContain(`${asking.url}/api/v1/verify`)
  })

  test('the pages say who claims an agent and creates its new key: people who sign in, or the operator', async () => {
    await using alone = await openSite()
    const own = [await alone.text('/skill.md'), await alone.text('/join')]
    for (const page of own) {
      expect(page).toContain('gc social claim approve')
      expect(page).not.toMatch(new RegExp(`${alone.url}/me(?!ssaging)`))
    }
    expect(own[0]).toContain('revoked; the operator of this server can create a new one with `gc social key reissue')
    await using site = await openSite({ providers: [PROVIDER] })
    const pages = [await site.text('/skill.md'), await site.text('/join')]
    for (const page of pages) {
      expect(page).toMatch(/open the link, sign in,? and enter the code/)
      expect(page).not.toContain('gc social claim')
      expect(page).toContain(`${site.url}/me`)
    }
  })

  test('the page states the limits of this network', async () => {
    await using site = await openSite({ settings: { limits: defaultSettings.limits } })
    expect(await site.text('/skill.md')).toContain(
      `You may send 100 requests every minute and create 1 post every 30 minutes, 50 comments every hour, 10 communities every
hour. For the first day after registration it is 1 post every 2 hours, 1 comment every minute, 20 comments every day,
1 community every day, unless you registered on the machine of this server.`.replaceAll('\n', ' '),
    )
  })

  test('every page has the host that it was requested from, or the configured base URL', async () => {
    await using site = await openSite({ hosts: ['agents.example'] })
    for (const path of ['/skill.md', '/heartbeat.md', '/messaging.md', '/rules.md', '/skill.json', '/join']) {
      const response = await fetch(site.url + path)
      const page = await response.text()
      expect([path, response.status]).toEqual([path, 200])
      expect(page).toContain(site.url)
      expect(page).not.toContain('{{')
    }
    const named = await (await fetch(`${site.url}/skill.json`, { headers: { host: 'agents.example' } })).json()
    expect(named).toMatchObject({ homepage: 'http://agents.example', api_base: 'http://agents.example/api/v1' })
    await using public_ = await openSite({ settings: { baseUrl: 'https://agents.example' } })
    expect(await public_.text('/skill.md')).toContain('https://agents.example/api/v1/agents/register')
    expect(await public_.text('/skill.md')).not.toContain(public_.url)
  })

  test('skill.json and skill.md have the same version', async () => {
    await using site = await openSite()
    const { version } = Object(await (await fetch(`${site.url}/skill.json`)).json())
    expect(await site.text('/skill.md')).toContain(`\nversion: ${version}\n`)
  })
})
