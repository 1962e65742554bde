import { human } from '../../src/http/guard.ts'
import { openOrders } from '../orchestration/orders/dispatch/world.ts'
import { openNetwork } from '../social/network.ts'
import { CountRecorder, type Counts } from './recorder.ts'

const MINUTE = 60_000
const ORDERS = { tidy: 'trigger = "cron"\nschedule = "*/15 * * * *"\nexec = "tidy"' }

/** Counts the operations that run most often, each once, in a city and a network that have some history. */
export async function countOperations(): Promise<Record<string, Counts>> {
  using recorder = new CountRecorder()
  return { ...(await countCity(recorder)), ...(await countNetwork(recorder)) }
}

async function countCity(recorder: CountRecorder): Promise<Record<string, Counts>> {
  await using city = await openOrders({ orders: ORDERS })
  const { beads, claims, mail, store } = city
  const [ada, bob] = [await city.session('ada'), await city.session('bob')]
  const caller = city.caller(ada.id)
  const draft = { title: 'Saw the planks', rig: 'press', labels: ['wood'], metadata: { 'gc.routed_to': 'press/hand' } }
  const write = (n: number) => ({ to: bob.id, subject: `Message ${n}`, body: 'All is well' })
  for (let n = 0; n < 12; n++) {
    const { id } = await beads.create(human, { ...draft, title: `Plank ${n}` })
    if (n % 2 === 0) await beads.close(human, id)
    await mail.send(human, write(n))
  }
  await city.settled()
  const counts: Record<string, Counts> = {}
  const count = async <Value>(name: string, operation: () => Promise<Value> | Value): Promise<Value> => {
    const results: Value[] = []
    counts[name] = await recorder.count(store.path, async () => {
      results.push(await operation())
      await city.reactions.whenIdle()
    })
    await city.settled()
    const [result] = results
    if (result === undefined) throw new Error(`${name} has no result`)
    return result
  }
  const { id } = await count('create a bead', () => beads.create(human, draft))
  await count('claim a bead', () => claims.claim(caller, id))
  await count('show a bead', () => beads.show(id).text)
  await count('list ready beads', () => beads.ready().value)
  await count('list beads', () => beads.list({ limit: 10 }).text)
  await count('close a bead', () => beads.close(caller, id))
  await count('list events', () => city.events.list({ limit: 10 }).value)
  await count('list sessions', () => city.sessions.reading.list({}))
  await count('show the status', () => city.status.status(false))
  const message = await count('send mail', () => mail.send(human, write(0)))
  await count('read mail', () => mail.read(city.caller(bob.id), message.id))
  await city.pass(14 * MINUTE)
  await count('run an order that is due', async () => {
    await city.clock.advance(MINUTE)
    await city.dispatcher.whenIdle()
    return city.running()
  })
  return counts
}

async function countNetwork(recorder: CountRecorder): Promise<Record<string, Counts>> {
  await using network = await openNetwork()
  const [ada, bob] = [await network.agent('ada'), await network.agent('bob')]
  for (let n = 0; n < 12; n++) await network.post(ada, `News ${n}`)
  const counts: Record<string, Counts> = {}
  const count = async <Value>(name: string, operation: () => Promise<Value>): Promise<Value> => {
    const results: Value[] = []
    counts[name] = await recorder.count(network.store.path, async () => void results.push(await operation()))
    const [result] = results
    if (result === undefined) throw new Error(`${name} has no result`)
    return result
  }
  const post = await count('post', () => network.post(ada, 'Planks are sawn'))
  await count('read a page of the feed', () => network.api('GET', '/posts?sort=new&limit=10', bob))
  await count('vote', () => network.api('POST', `/posts/${post.id}/upvote`, bob))
  return counts
}
