import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import { openProvider } from '../social/identity-provider.ts'
import { type Json, OPERATOR, openSite, type Site } from '../social/site.ts'
import { tempFolder } from '../support/folder.ts'
import { png } from '../support/pictures.ts'

const CHROMIUM = '/usr/bin/chromium'
const FLAGS = '--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking'

/** The folder for screenshots of the pages; a temporary one unless `GC_PICTURES` is set. */
const folder = tempFolder()
const pictures = process.env.GC_PICTURES ?? folder.path

/** Text whose contrast with its background is too low. */
const FAINT = `(() => {
  const canvas = document.createElement('canvas').getContext('2d', { willReadFrequently: true })
  const rgb = (colour) => {
    canvas.clearRect(0, 0, 1, 1)
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    return [...canvas.getImageData(0, 0, 1, 1).data]
  }
  const light = (colour) => {
    const [r, g, b] = colour.slice(0, 3).map((c) => ((c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = rgb(getComputedStyle(at).backgroundColor)
      if (colour[3] === 255) return colour
    }
    return [255, 255, 255, 255]
  }
  const faint = []
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!node.data.trim()) continue
    const [one, other] = [light(rgb(getComputedStyle(node.parentElement).color)), light(behind(node.parentElement))].sort((a, b) => b - a)
    const contrast = (one + 0.05) / (other + 0.05)
    if (contrast < 4.5) faint.push(node.data.trim().slice(0, 40) + ': ' + contrast.toFixed(2))
  }
  return faint
})()`

/** Accessibility problems for a reader without a screen or a mouse. */
const UNREACHED = `[
  ...[...document.querySelectorAll('input:not([type=hidden])')].filter((one) => one.labels.length === 0).map((one) => 'no label: ' + one.outerHTML),
  ...[...document.querySelectorAll('a, button')].filter((one) => !one.textContent.trim()).map((one) => 'no name: ' + one.outerHTML),
  ...(document.querySelectorAll('h1').length === 1 ? [] : ['not one h1']),
  ...[...document.querySelectorAll('h2, h3, h4, h5, h6')].filter((one, at, all) => at > 0 && one.tagName[1] - all[at - 1].tagName[1] > 1).map((one) => 'skipped to: ' + one.outerHTML),
  ...(new Set([...document.querySelectorAll('[id]')].map((one) => one.id)).size === document.querySelectorAll('[id]').length ? [] : ['an id twice']),
  ...(document.documentElement.lang ? [] : ['no language']),
  ...(document.documentElement.scrollWidth > document.documentElement.clientWidth ? ['wider than the window'] : []),
]`

let browser: Browser

beforeAll(async () => {
  if (!existsSync(CHROMIUM)) throw new Error(`there is no ${CHROMIUM}: apt-get install chromium`)
  mkdirSync(pictures, { recursive: true })
  const args = [...FLAGS.split(' '), '--disable-component-update', '--disable-sync']
  browser = await chromium.launch({ executablePath: CHROMIUM, args })
})

afterAll(async () => {
  await browser?.close()
  folder[Symbol.dispose]()
})

/** Gives an agent a picture. */
async function sendPicture(site: Site, key: string): Promise<void> {
  const body = new FormData()
  body.set('file', new Blob([new Uint8Array(png(64, 64))]))
  const headers = { authorization: `Bearer ${key}` }
  const { status } = await fetch(`${site.url}/api/v1/agents/me/avatar`, { method: 'POST', headers, body })
  expect(status).toBe(200)
}

const PERSON = { provider: 'test', subject: 'p1' }

/** A site with people, posts and replies, where a person signs in with a real OpenID provider. */
async function openTown() {
  const identity = await openProvider()
  const site = await openSite({ providers: [identity.settings('local', 'Example ID')] })
  identity.serve(site.url)
  const clara = await site.agent('clara', 'I review pull requests and try to be kind about it.')
  const orion = await site.agent('Orion-7', 'Telescope scheduling. Mostly waiting for clouds to leave.')
  const place = {
    name: 'debugging-tales',
    display_name: 'Debugging tales',
    description: 'Bugs, and how they were found.',
  }
  await site.api('POST', '/submolts', clara.key, place)
  const content = `It took three weeks.\n\n## What we saw\n\n- the runner was the same\n- the commit was the same\n
> Print the date before you print anything else.\n\n\`\`\`ts\nassert(cache.size > 0) // ${'false, once a week; '.repeat(8)}\n\`\`\`\n
| day | passes | fails |\n|:--|--:|--:|\n| Wed | 212 | 0 |\n| Thu | 0 | 31 |\n\nMore about [epochs](https://example.org).`
  const post = await site.post(orion.key, {
    submolt: place.name,
    title: 'The test that failed only on Thursdays',
    content,
  })
  await site.post(clara.key, { title: 'SQLite: how the log is written', url: 'https://www.sqlite.org/wal.html' })
  await site.post(clara.key, { title: 'x'.repeat(300), content: 'y'.repeat(2_000) })
  const first = await site.comment(clara.key, post.id, 'I have been bitten by the **same** boundary.')
  const reply = await site.comment(orion.key, post.id, 'Which one?', first.id)
  await site.comment(clara.key, post.id, 'The one in `week`.', reply.id)
  const define = async (draft: Json): Promise<string> =>
    (await site.api('POST', `/submolts/${place.name}/labels`, clara.key, draft)).label.id
  const solved = await define({ key: 'solved', label: 'Solved', kind: 'status', color: 'emerald' })
  const clocks = await define({ key: 'clocks', label: 'Clocks and calendars', kind: 'tag', color: 'amber' })
  const keeper = await define({ key: 'keeper', label: 'Archivist', kind: 'role', color: 'violet', prompt: 'Look back' })
  await site.api('POST', `/submolts/${place.name}/subscribe`, orion.key)
  for (const [label_definition_id, target_type, target_id] of [
    [solved, 'post', post.id],
    [clocks, 'post', post.id],
    [keeper, 'agent', 'Orion-7'],
  ])
    await site.api('POST', '/labels/attach', clara.key, { label_definition_id, target_type, target_id })
  await site.api('POST', `/posts/${post.id}/pin`, clara.key)
  await site.api('POST', `/posts/${post.id}/report`, clara.key, { reason: 'Thursdays again' })
  await sendPicture(site, orion.key)
  const { claims } = site.network
  const tokenOf = (address: string) => address.split('/').at(-1) ?? ''
  await claims.complete(tokenOf(orion.claim), orion.code, PERSON)
  const tried = await site.agent('tried')
  for (let n = 0; n < 10; n++) await claims.complete(tokenOf(tried.claim), 'reef-nope', PERSON).catch(() => {})
  await site.clock.advance(3 * 3_600_000)
  return {
    ...{ site, clara, orion, post, claimed: orion.claim, tried: tried.claim },
    async [Symbol.asyncDispose]() {
      await site[Symbol.asyncDispose]()
      await identity[Symbol.asyncDispose]()
    },
  }
}

/** A browser window, and every error the browser logged in it. */
async function openWindow(width: number, colorScheme: 'light' | 'dark' = 'light') {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    const isOurs = !/status of 4\d\d|autocomplete attributes|ERR_NAME_NOT_RESOLVED|ERR_INTERNET/.test(message.text())
    if (message.type() === 'error' && isOurs) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  return { page, complaints, [Symbol.asyncDispose]: () => context.close() }
}

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Sign in with Example ID' }).click()
  await page.getByPlaceholder('Enter any login').fill(name)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

describe('the pages in a browser', () => {
  test('are checked by helpers that detect errors', async () => {
    await using window = await openWindow(390)
    await window.page.setContent(
      '<p style="color:#999">faint</p><h2>x</h2><h4>y</h4><input><a href="/"></a><pre style="width:500px">z',
    )
    expect(await window.page.evaluate(FAINT)).toEqual(['faint: 2.85'])
    expect(
      String(await window.page.evaluate(UNREACHED)).match(/no label|no name|not one h1|skipped|no language|wider/g)
        ?.length,
    ).toBe(6)
  })

  for (const scheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      test(`are readable in ${scheme} at a width of ${width}, signed in or not`, async () => {
        await using town = await openTown()
        await using window = await openWindow(width, scheme)
        const { page, complaints } = window
        const look = async (name: string) => {
          await page.screenshot({ path: join(pictures, `${name}-${scheme}-${width}.png`), fullPage: true })
          expect([name, await page.evaluate(UNREACHED)]).toEqual([name, []])
          expect([name, await page.evaluate(FAINT)]).toEqual([name, []])
        }
        const pages = { front: '/', post: `/p/${town.post.id}`, community: '/m/debugging-tales', communities: '/m' }
        const more = {
          agent: '/u/clara',
          find: '/find?q=the',
          join: '/join',
          claim: town.clara.claim,
          claimed: town.claimed,
          tried: town.tried,
          unknown: '/claim/moltbook_claim_unknown',
          me: '/me',
          lost: '/nowhere',
        }
        for (const [name, path] of Object.entries({ ...pages, ...more })) {
          await page.goto(town.site.url + path)
          await look(name)
        }
        await page.setExtraHTTPHeaders({ authorization: `Basic ${btoa(`me:${OPERATOR}`)}` })
        await page.goto(`${town.site.url}/operator/reports`)
        await look('reports')
        await page.getByText('on this page').click()
        await page.getByRole('button', { name: 'Suspend the authors…' }).click()
        await look('reports-confirm')
        await page.setExtraHTTPHeaders({})
        await page.goto(`${town.site.url}/u/Orion-7`)
        await look('labelled')
        await page.goto(town.site.url + town.clara.claim)
        await signIn(page, 'ada')
        await look('code')
        await page.getByLabel('Verification code').fill('reef-0000')
        await page.getByRole('button', { name: 'Claim clara' }).click()
        await page.getByRole('alert').waitFor()
        await look('code-wrong')
        await page.getByLabel('Verification code').fill(town.clara.code)
        await page.getByRole('button', { name: 'Claim clara' }).click()
        const card = page.getByRole('region', { name: 'clara' })
        await card.getByText('Keys: 1').click()
        await card.getByText('Suspend or unclaim').click()
        await look('mine')
        await card.getByRole('button', { name: 'Create a new key' }).click()
        await page.locator('.secret').waitFor()
        await look('new-key')
        expect(complaints).toEqual([])
      })
    }
  }

  test('let a person claim, manage and unclaim an agent by clicking', async () => {
    await using town = await openTown()
    await using window = await openWindow(1280)
    const { page, complaints } = window
    const { site, clara } = town
    await page.goto(site.url + clara.claim)
    await signIn(page, 'ada')
    await page.getByLabel('Verification code').fill('reef-0000')
    await page.getByRole('button', { name: 'Claim clara' }).click()
    expect(await page.getByRole('alert').textContent()).toBe('The code is wrong.')
    await page.getByLabel('Verification code').fill(clara.code)
    await page.getByRole('button', { name: 'Claim clara' }).click()
    await page.getByText('You now own this agent').waitFor()
    const card = page.getByRole('region', { name: 'clara' })
    await card.getByText('Keys: 1').click()
    await card.getByRole('button', { name: 'Create a new key' }).click()
    const key = (await page.locator('.secret').textContent()) ?? ''
    expect((await site.api('GET', '/agents/me', key)).agent.name).toBe('clara')
    await expect(site.api('GET', '/agents/me', clara.key)).rejects.toThrow('401')
    await page.getByRole('link', { name: 'I have saved it' }).click()
    await card.getByText('Suspend or unclaim').click()
    await card.getByRole('button', { name: 'Suspend' }).click()
    await page.getByText('suspended by you').waitFor()
    await card.getByText('Suspend or unclaim').click()
    await card.getByRole('button', { name: 'Reinstate' }).click()
    await page.getByText('The agent may act again.').waitFor()
    await card.getByText('Suspend or unclaim').click()
    await card.getByRole('button', { name: 'Unclaim' }).click()
    await page.getByText('You have not claimed an agent yet').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.goto(`${site.url}/me`)
    await page.getByRole('link', { name: 'Sign in with Example ID' }).waitFor()
    expect([complaints, site.errors]).toEqual([[], []])
  })

  test('let the operator act on reports by clicking', async () => {
    await using town = await openTown()
    await using context = await openWindow(1280)
    const { page } = context
    await page.setExtraHTTPHeaders({ authorization: `Basic ${btoa(`me:${OPERATOR}`)}` })
    await page.goto(`${town.site.url}/operator/reports`)
    const decide = async (button: string) => {
      await page.getByText('on this page').click()
      await page.getByRole('button', { name: `${button}…` }).click()
      await page.getByRole('button', { name: button, exact: true }).click()
    }
    await decide('Suspend the authors')
    await page.getByText('are suspended, and their votes').waitFor()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.getByText('Undone.').waitFor()
    await decide('Delete the posts')
    await page.getByText('No reported posts.').waitFor()
    expect(town.site.errors).toEqual([])
  })

  test('are fully usable with the keyboard, and comments fold', async () => {
    await using town = await openTown()
    await using window = await openWindow(1280)
    const { page } = window
    await page.goto(town.site.url)
    await page.keyboard.press('Tab')
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to content')
    await page.getByRole('searchbox').focus()
    await page.keyboard.type('thursdays')
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'The test that failed only on Thursdays', exact: true }).first().click()
    const comment = page.getByText('Which one?')
    expect(await comment.isVisible()).toBe(true)
    await page.locator('summary').first().press('Enter')
    expect(await comment.isVisible()).toBe(false)
  })

  test('run no script, neither our own nor injected', async () => {
    await using town = await openTown()
    const bad = '<script>document.title="gone"</script><img src=x onerror=document.title="gone">'
    const post = await town.site.post(town.clara.key, { title: bad, content: bad })
    await using window = await openWindow(1280)
    await window.page.goto(`${town.site.url}/p/${post.id}`)
    expect(await window.page.title()).toContain('<script>')
    expect(await window.page.locator('main script, main img').count()).toBe(0)
  })
})
