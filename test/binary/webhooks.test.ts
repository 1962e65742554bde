import { describe, expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { TestCity, World } from '../support/world.ts'

const SECRET = 'oil and lamps'
const KILLS = Number(process.env.GC_KILLS ?? 3)

const TOML = `
[webhooks.rate_limit]
per_minute = 100000
burst = 10000
[[webhook]]
name = "forge"
[webhook.verify]
scheme = "github-hmac-sha256"
secret_env = "HOOK_SECRET"
[[webhook.rule]]
order = "note"
args = { n = "{{n}}" }
`

async function openCity(world: World): Promise<TestCity> {
  const path = world.folder.at('mill')
  mkdirSync(join(path, 'orders'), { recursive: true })
  const order = '[order]\ntrigger = "webhook"\nexec = "true"\n[order.params.n]\nrequired = true\n'
  writeFileSync(join(path, 'orders', 'note.toml'), order)
  writeFileSync(join(path, 'city.toml'), `[workspace]\nname = "mill"\n${TOML}`)
  const accepted = await world.call('POST /v0/city/register', { body: { path } })
  await world.outcome('/v0/events', accepted.body)
  return new TestCity(world, 'mill', path)
}

const bodyOf = (n: number) => JSON.stringify({ n })
const headersOf = (body: string) => ({
  'content-type': 'application/json',
  'x-hub-signature-256': `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`,
})

async function deliver(url: string, n: number): Promise<number> {
  const body = bodyOf(n)
  const response = await fetch(`${url}/v0/city/mill/hook/forge`, { method: 'POST', body, headers: headersOf(body) })
  await response.text()
  return response.status
}

interface Received {
  type: string
  payload: { dispatched: boolean; dedup_id: string; tracking_id?: string }
}

/** The deliveries that started a run, by the digests of their bodies. */
async function started(city: TestCity): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  let cursor = ''
  do {
    const query = `type=webhook.received&limit=500${cursor === '' ? '' : `&cursor=${cursor}`}`
    const { body } = await city.call(`GET ~/events?${query}`)
    const page = body as { items: Received[] | null; next_cursor?: string }
    for (const { payload } of page.items ?? []) {
      if (payload.dispatched) counts.set(payload.dedup_id, (counts.get(payload.dedup_id) ?? 0) + 1)
    }
    cursor = page.next_cursor ?? ''
  } while (cursor !== '')
  return counts
}

const digestOf = (n: number) => new Bun.CryptoHasher('sha256').update(bodyOf(n)).digest('hex')

describe('webhooks of the supervisor', () => {
  test('need no mark of a client, are hidden where there are none, and take POST only', async () => {
    await using world = await World.with({ HOOK_SECRET: SECRET })
    await openCity(world)
    expect(await deliver(world.url, 1)).toBe(202)
    expect(await deliver(world.url, 1)).toBe(200)
    const status = async (path: string, init?: RequestInit) =>
      (await fetch(`${world.url}/v0/city/${path}`, init)).status
    expect(await status('mill/hook/none', { method: 'POST', body: '{}' })).toBe(404)
    expect(await status('other/hook/forge', { method: 'POST', body: '{}' })).toBe(404)
    expect(await status('mill/hook/forge')).toBe(405)
    expect(await status('mill/hook/forge', { method: 'POST', body: '{}' })).toBe(401)
    expect(await status('%E0%A4/hook/forge', { method: 'POST', body: '{}' })).toBe(404)
  })

  test('reach a city that was not opened since the start of the supervisor', async () => {
    await using world = await World.with({ HOOK_SECRET: SECRET })
    const city = await openCity(world)
    // Files that changed less than two seconds ago may change again without a trace, so a city does not rest on them.
    await Bun.sleep(2_100)
    await world.stop()
    await world.start()
    const running = async () => (await world.call('GET /v0/cities')).body.items[0].running
    await eventually('the city runs', 15_000, running, Boolean)
    expect((await world.call('GET /v0/events?type=controller.started')).body.items).toHaveLength(1)
    const bad = await fetch(`${world.url}/v0/city/%E0%A4/hook/forge`, { method: 'POST', body: '{}' })
    expect(bad.status).toBe(404)
    expect(await deliver(world.url, 1)).toBe(202)
    expect(await started(city)).toEqual(new Map([[digestOf(1), 1]]))
  })

  test('reject a body that does not end', async () => {
    await using world = await World.with({ HOOK_SECRET: SECRET })
    await openCity(world)
    const status = await new Promise<number>((resolve, reject) => {
      const sent = request(`${world.url}/v0/city/mill/hook/forge`, { method: 'POST' }, ({ statusCode = 0 }) => {
        resolve(statusCode)
        sent.destroy()
      })
      sent.on('error', reject)
      const chunk = Buffer.alloc(256 * 1024, 'x')
      for (let n = 0; n < 8; n++) sent.write(chunk)
    })
    expect(status).toBe(413)
  })

  test('start what they acknowledged once, whenever gc is killed', async () => {
    await using world = await World.with({ HOOK_SECRET: SECRET })
    const city = await openCity(world)
    let n = 0
    const acknowledged = new Set<number>()
    for (let kill = 0; kill < KILLS; kill++) {
      const sent = Array.from({ length: 40 }, () => n++)
      const answers = sent.map(async (each) => {
        const status = await deliver(world.url, each).catch(() => 0)
        if (status === 202 || status === 200) acknowledged.add(each)
      })
      await Bun.sleep((kill * 7) % 23)
      world.kill()
      await Promise.all(answers)
      await world.start()
      await eventually(
        'the city',
        20_000,
        () => city.call('GET ~'),
        ({ status }) => status === 200,
      )
      const missing = sent.filter((each) => !acknowledged.has(each))
      for (const each of missing) {
        expect([200, 202]).toContain(await deliver(world.url, each))
        acknowledged.add(each)
      }
    }
    const counts = await started(city)
    const expected = Array.from({ length: n }, (_, each) => [digestOf(each), 1] as const)
    expect(counts).toEqual(new Map(expected))
  }, 120_000)
})
