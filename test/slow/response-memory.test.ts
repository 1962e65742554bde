import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createBeads, post, SilentReaders } from '../support/attacks.ts'
import { type TestCity, World } from '../support/world.ts'

/** A list of 25 MB: ten of them fill the memory for responses under way, which is 256 MB. */
const BEADS = 1_000
const LIST_BYTES = BEADS * 25_000

let world: World
let city: TestCity
let list: string
beforeAll(async () => {
  world = await World.open()
  city = await world.city()
  list = `/v0/city/${city.name}/beads/ready`
  await createBeads(world.url, city.name, BEADS, 25_000)
}, 60_000)
afterAll(() => world[Symbol.asyncDispose]())

/** Reads a list; any other response is reported by its status. */
async function read(path = list): Promise<string> {
  const response = await fetch(world.url + path)
  const { byteLength } = await response.arrayBuffer()
  return response.ok && byteLength > LIST_BYTES ? 'whole' : `${response.status}`
}

test('forty that ask for 25 MB at the same time, four times the memory for it, all get it', async () => {
  const all = await Promise.all(Array.from({ length: 40 }, () => read()))
  expect(new Set(all)).toEqual(new Set(['whole']))
}, 60_000)

test('a response that thirty clients wait for is rendered once, and unread ones leave room for others', async () => {
  using readers = new SilentReaders(world.url, false)
  const path = `${list}?index=${await city.head()}&wait=60s`
  await readers.ask(Array(30).fill(path))
  const last = read(path)
  await Bun.sleep(500)
  await post(world.url, `/v0/city/${city.name}/beads`, { title: 'news' })
  expect([await last, await read()]).toEqual(['whole', 'whole'])
}, 60_000)

test('a request beyond the memory waits for readers to leave, else gets 503; small ones continue', async () => {
  using readers = new SilentReaders(world.url, false)
  for (let n = 0; n < 10; n++) expect(await readers.begin(list)).toBe(200)
  const rejected = await fetch(world.url + list)
  expect([rejected.status, rejected.headers.get('retry-after')]).toEqual([503, '5'])
  expect(await rejected.json()).toMatchObject({
    code: 'service-unavailable',
    detail: 'too many large responses are being sent; try again in a few seconds',
  })
  const waiting = read()
  expect((await city.call('GET ~/beads?limit=1')).status).toBe(200)
  expect(await Promise.race([waiting, Bun.sleep(200).then(() => 'waits')])).toBe('waits')
  readers[Symbol.dispose]()
  expect(await waiting).toBe('whole')
}, 60_000)
