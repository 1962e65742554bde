import { describe, expect, test } from 'bun:test'
import type { City } from '../../../src/city/city.ts'
import { AppError } from '../../../src/core/errors.ts'
import { hashToken } from '../../../src/core/text/credentials.ts'
import type { CityOf } from '../../../src/http/city-of.ts'
import { slingRoutes } from '../../../src/orchestration/runs/sling/routes.ts'
import { beadRoutes } from '../../../src/work/beads/routes.ts'
import type {
  BeadDependencies,
  BeadDepsResponse,
  BeadGraphResponse,
  ListBodyBead,
} from '../../../src/work/beads/schema.ts'
import { claimRoutes } from '../../../src/work/claims/routes.ts'
import type { ClaimList } from '../../../src/work/claims/schema.ts'
import { convoyRoutes } from '../../../src/work/convoys/routes.ts'
import type { Bead } from '../../../src/work/schema.ts'
import { serve } from '../../http/serve.ts'
import { openWork } from '../world.ts'

/** The operations of this wing over HTTP. */
async function openHttp() {
  const work = await openWork()
  const city: CityOf<City> = ({ params }) => {
    if (params.cityName === 'mill') return work
    throw new AppError('city-not-found', `not_found: city not found or not running: ${params.cityName}`)
  }
  const resolve = (token: string) => {
    const caller = work.credentials.caller(hashToken(token))
    return caller === 'ended' ? undefined : caller
  }
  const server = serve({
    routes: [...beadRoutes(city), ...claimRoutes(city), ...convoyRoutes(city), ...slingRoutes(city)],
    guard: { resolve },
    index: () => work.log.head,
  })
  const base = '/v0/city/mill'
  const as = (session: string) => ({ authorization: `Bearer ${work.token(session)}` })
  return {
    work,
    server,
    as,
    get: (path: string) => server.get(base + path),
    send: (method: string, path: string, body?: unknown, headers = {}) =>
      server.send(method, base + path, body, headers),
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]()
      await work[Symbol.asyncDispose]()
    },
  }
}

/** The body of an answer; `serve` has held it to the document already. */
const body = async <T>(answer: Promise<Response>): Promise<T> => (await (await answer).json()) as T

describe('beads over HTTP', () => {
  test('a bead is created, shown, changed, closed, reopened and deleted', async () => {
    await using http = await openHttp()
    await http.work.session('ada')
    http.work.recorded()
    const { head } = http.work.log
    const created = await http.send('POST', '/beads', { title: 'oil', labels: ['a'], description: null })
    expect(created.status).toBe(201)
    expect(created.headers.get('x-gc-index')).toBe(String(head + 1))
    const bead = (await created.json()) as Bead
    expect(await (await http.get(`/bead/${bead.id}`)).json()).toEqual(bead)
    for (const [method, path, body, answer] of [
      ['PATCH', '', { title: 'oil it' }, { status: 'updated' }],
      ['POST', '/update', { labels: ['b'] }, { status: 'updated' }],
      ['POST', '/assign', { assignee: 'ada' }, { status: 'assigned', assignee: 'ada' }],
      ['POST', '/close', undefined, { status: 'closed' }],
      ['POST', '/reopen', undefined, { status: 'reopened' }],
      ['DELETE', '', undefined, { status: 'closed' }],
      ['DELETE', '', undefined, { status: 'closed' }],
    ] as const) {
      const response = await http.send(method, `/bead/${bead.id}${path}`, body)
      expect([response.status, await response.json()]).toEqual([200, answer])
    }
    expect(http.work.recorded()).toEqual([
      `bead.created ${bead.id}`,
      `bead.updated ${bead.id}`,
      `bead.updated ${bead.id}`,
      `bead.updated ${bead.id}`,
      `bead.closed ${bead.id}`,
      `bead.updated ${bead.id}`,
      `bead.closed ${bead.id}`,
    ])
  })

  test('the list, ready work, children, dependencies and the graph have their shapes', async () => {
    await using http = await openHttp()
    const a = await body<Bead>(http.send('POST', '/beads', { title: 'a' }))
    const b = await body<Bead>(http.send('POST', '/beads', { title: 'b', parent: a.id }))
    expect((await http.send('POST', `/bead/${b.id}/deps`, { depends_on_id: a.id })).status).toBe(201)
    const page = await body<ListBodyBead>(http.get('/beads?limit=1'))
    expect(page.total).toBe(2)
    expect(page.next_cursor).toStartWith('v1:')
    const rest = await body<ListBodyBead>(http.get(`/beads?limit=1&cursor=${page.next_cursor}`))
    expect(rest).not.toHaveProperty('next_cursor')
    expect([...page.items, ...rest.items].map((bead) => bead.id)).toEqual([b.id, a.id])
    const ready = () => body<ListBodyBead>(http.get('/beads/ready'))
    expect((await ready()).items.map((bead) => bead.id)).toEqual([a.id])
    expect((await body<BeadDepsResponse>(http.get(`/bead/${a.id}/deps`))).children).toHaveLength(1)
    const { dependents } = await body<BeadDependencies>(http.get(`/bead/${a.id}/dependencies`))
    expect(dependents.map((relation) => relation.id)).toEqual([b.id])
    expect((await body<BeadGraphResponse>(http.get(`/beads/graph/${a.id}`))).deps).toHaveLength(2)
    expect((await http.send('DELETE', `/bead/${b.id}/deps/${a.id}?type=blocks`)).status).toBe(200)
    expect((await ready()).total).toBe(2)
  })

  test.each<[string, string, unknown, number, string | null]>([
    ['GET', '/bead/mi-9', undefined, 404, 'bead-not-found'],
    ['GET', '/bead/%E0%A4%A', undefined, 400, null],
    ['GET', '/bead/mi%2F1', undefined, 404, 'bead-not-found'],
    ['GET', '/bead/mi-9/deps', undefined, 404, 'bead-not-found'],
    ['GET', '/beads/graph/mi-9', undefined, 404, 'bead-not-found'],
    ['GET', '/beads?cursor=20', undefined, 400, 'invalid-cursor'],
    ['GET', '/beads?limit=1001', undefined, 422, 'validation-failed'],
    ['GET', '/beads?all=perhaps', undefined, 422, 'validation-failed'],
    ['POST', '/beads', {}, 422, 'validation-failed'],
    ['POST', '/beads', { title: '' }, 422, 'validation-failed'],
    ['POST', '/beads', { title: 'x', color: 'red' }, 422, 'validation-failed'],
    ['POST', '/beads', { title: 'x'.repeat(1025) }, 422, 'validation-failed'],
    ['POST', '/beads', { title: 'x', metadata: { a: 1 } }, 422, 'validation-failed'],
    ['POST', '/beads', { title: 'x', defer_until: 'tomorrow' }, 422, 'validation-failed'],
    ['POST', '/beads', { title: 'x', rig: 'nowhere' }, 400, 'invalid-request'],
    ['POST', '/beads', { title: 'x', parent: 'mi-9' }, 400, 'invalid-request'],
    ['PATCH', '/bead/mi-1', { priority: null }, 422, 'validation-failed'],
    ['PATCH', '/bead/mi-1', { status: '' }, 422, 'validation-failed'],
    ['PATCH', '/bead/mi-9', {}, 404, 'bead-not-found'],
    ['POST', '/bead/mi-1/reopen', undefined, 409, 'conflict-wrong-state'],
    ['POST', '/bead/mi-1/deps', { depends_on_id: 'mi-1' }, 400, 'invalid-request'],
    ['POST', '/bead/mi-1/deps', { depends_on_id: 'mi-9' }, 404, 'bead-not-found'],
    ['POST', '/bead/mi-1/claim', undefined, 403, 'forbidden'],
    ['POST', '/bead/mi-1/heartbeat', undefined, 403, 'forbidden'],
    ['POST', '/bead/mi-1/release', undefined, 403, 'forbidden'],
    ['POST', '/claims/next', undefined, 403, 'forbidden'],
    ['GET', '/claims/mi-1', undefined, 404, 'bead-not-found'],
    ['POST', '/convoys', { title: 'x', items: ['mi-9'] }, 404, 'bead-not-found'],
    ['POST', '/convoy/mi-1/add', { items: [] }, 400, 'invalid-request'],
    ['GET', '/convoy/mi-1', undefined, 404, 'convoy-not-found'],
    ['POST', '/sling', { target: '' }, 422, 'validation-failed'],
  ])('%s %s with %j is %d %s', async (method, path, body, status, code) => {
    await using http = await openHttp()
    await http.work.add({ title: 'there' })
    http.work.recorded()
    const response = method === 'GET' ? await http.get(path) : await http.send(method, path, body)
    expect(response.status).toBe(status)
    if (code !== null) expect(await response.json()).toMatchObject({ status, code, detail: expect.any(String) })
    expect(http.work.recorded()).toEqual([])
    expect(http.server.errors).toEqual([])
  })

  test('the error for a long title says the limit', async () => {
    await using http = await openHttp()
    const problem = await (await http.send('POST', '/beads', { title: 'x'.repeat(1025) })).json()
    expect(problem).toMatchObject({
      detail: expect.stringContaining('at most 1 KB'),
      errors: [{ location: 'body.title' }],
    })
  })
})

describe('claims over HTTP', () => {
  test('of two sessions that claim one bead, one gets it and the other an error', async () => {
    await using http = await openHttp()
    const { id } = await http.work.add({ title: 'a' })
    const claim = (session: string) => http.send('POST', `/bead/${id}/claim`, undefined, http.as(session))
    const [ada, bob] = [await http.work.session('ada'), await http.work.session('bob')]
    const statuses = (await Promise.all([claim(ada.id), claim(bob.id)])).map((response) => response.status)
    expect(statuses.sort()).toEqual([200, 409])
    const { items } = await body<ClaimList>(http.get('/claims'))
    const holder = items[0]?.session_id ?? ''
    const late = holder === ada.id ? bob.id : ada.id
    expect((await http.send('POST', `/bead/${id}/heartbeat`, undefined, http.as(holder))).status).toBe(200)
    expect((await http.send('POST', `/bead/${id}/heartbeat`, undefined, http.as(late))).status).toBe(409)
    expect((await http.send('PATCH', `/bead/${id}`, { status: 'open', assignee: '' })).status).toBe(200)
    const lost = await http.send('POST', `/bead/${id}/close`, undefined, http.as(holder))
    expect(lost.status).toBe(409)
    expect(await lost.json()).toMatchObject({ code: 'claim-lost' })
    expect(await (await http.send('POST', '/claims/next', undefined, http.as(late))).json()).toEqual({
      action: 'drain',
      reason: 'no_work',
    })
  })

  test('an unknown or ended token is 401', async () => {
    await using http = await openHttp()
    const { id } = await http.work.add({ title: 'a' })
    const response = await http.send('POST', `/bead/${id}/claim`, undefined, { authorization: 'Bearer gone' })
    expect(response.status).toBe(401)
    expect(http.work.claims.list().total).toBe(0)
  })
})

describe('convoys over HTTP', () => {
  test('a convoy is created, filled, checked and closed', async () => {
    await using http = await openHttp()
    const a = await http.work.add({ title: 'a' })
    const created = await http.send('POST', '/convoys', { title: 'release', items: null })
    expect(created.status).toBe(201)
    const { id } = (await created.json()) as Bead
    expect(await (await http.send('POST', `/convoy/${id}/add`, { items: [a.id] })).json()).toEqual({
      status: 'updated',
    })
    expect(await (await http.get(`/convoy/${id}`)).json()).toMatchObject({ progress: { total: 1, closed: 0 } })
    expect(await (await http.get(`/convoy/${id}/check`)).json()).toMatchObject({ complete: false })
    expect(await (await http.get('/convoys')).json()).toMatchObject({ total: 1 })
    expect((await http.send('POST', `/convoy/${id}/remove`, { items: [a.id] })).status).toBe(200)
    expect((await http.send('POST', `/convoy/${id}/close`)).status).toBe(200)
    expect((await http.send('DELETE', `/convoy/${id}`)).status).toBe(200)
    expect(await (await http.get('/convoys')).json()).toMatchObject({ total: 0 })
  })
})
