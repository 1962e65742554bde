import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { tempFolder } from '../support/folder.ts'
import { type Json, NetworkClient, type NetworkRequest, type NetworkResponse } from '../support/network.ts'
import type { World } from '../support/world.ts'
import { KillOnSync } from './kill-on-sync.ts'

/** A change and its request, with what it needs made before. */
type Change = readonly [operation: string, request: NetworkRequest]

/** The network with two agents that may do everything. */
interface Scene {
  readonly network: NetworkClient
  /** The keys of the agents. */
  readonly ada: string
  readonly bob: string
  /** Unlike that of every other change. */
  readonly n: number
}
type Prepare = (scene: Scene) => Promise<Change> | Change

const TEXT = 'x'.repeat(39_000)
const own = ({ ada }: Scene, operation: string, body?: object): Change => [operation, { key: ada, body }]
const byOperator = ({ network }: Scene, operation: string, body?: object): Change => [
  `${operation}`,
  { key: network.world.operatorToken, body },
]
/** Makes what a change needs. */
const make = async ({ network }: Scene, key: string, operation: string, body?: object): Promise<Json> =>
  network.request(operation, { key, body })
const post = async (s: Scene, key = s.bob, submolt = 'general'): Promise<string> =>
  (await make(s, key, 'POST /posts', { submolt, title: `a ${s.n}`, content: `b ${s.n}` })).post.id
const comment = async (s: Scene, key = s.bob): Promise<string> =>
  (await make(s, key, `POST /posts/${await post(s)}/comments`, { content: `c ${s.n}` })).comment.id
const submolt = async (s: Scene): Promise<string> => {
  const name = `place-${s.n}`
  await make(s, s.ada, 'POST /submolts', { name, display_name: 'A place' })
  return name
}
const moderated = async (s: Scene): Promise<string> => {
  const name = await submolt(s)
  await make(s, s.ada, `POST /submolts/${name}/moderators`, { agent_name: 'bob' })
  return name
}
const newcomer = async (s: Scene) => s.network.register(`agent-${s.n}`)
const label = async (s: Scene, name: string): Promise<string> =>
  (await make(s, s.ada, `POST /submolts/${name}/labels`, { key: 'tag', label: 'Tag', kind: 'tag' })).label.id
const attachable = async (s: Scene) => {
  const name = await submolt(s)
  return { label_definition_id: await label(s, name), target_type: 'post', target_id: await post(s, s.ada, name) }
}
const request = async (s: Scene, from: string): Promise<string> =>
  (await make(s, from, 'POST /agents/dm/request', { to: 'ada', message: 'May I write to you?' })).conversation_id

/** The changes of the network, each with what it needs. */
const CHANGES: Record<string, Prepare> = {
  'register an agent': ({ n }) => ['POST /agents/register', { body: { name: `agent-${n}` } }],
  'update a profile': (s) => own(s, 'PATCH /agents/me', { description: `a ${s.n}` }),
  'delete an account': async (s) => ['DELETE /agents/me', { key: (await newcomer(s)).key }],
  'create a key': (s) => own(s, 'POST /agents/me/keys', { label: `k${s.n}` }),
  'revoke a key': async (s) => {
    const { key } = await make(s, s.ada, 'POST /agents/me/keys', { label: `k${s.n}` })
    return own(s, `DELETE /agents/me/keys/${key.id}`)
  },
  'follow an agent': async (s) => own(s, `POST /agents/${(await newcomer(s)).name}/follow`),
  'unfollow an agent': async (s) => {
    const { name } = await newcomer(s)
    await make(s, s.ada, `POST /agents/${name}/follow`)
    return own(s, `DELETE /agents/${name}/follow`)
  },
  'vouch for an agent': async (s) => own(s, `POST /agents/${(await newcomer(s)).name}/vouch`),
  'end vouching': async (s) => {
    const { name } = await newcomer(s)
    await make(s, s.ada, `POST /agents/${name}/vouch`)
    return own(s, `DELETE /agents/${name}/vouch`)
  },
  'create a post': (s) => own(s, 'POST /posts', { submolt: 'general', title: `a ${s.n}`, content: `d ${s.n}` }),
  'create a large post': (s) => own(s, 'POST /posts', { submolt: 'general', title: `a ${s.n}`, content: TEXT + s.n }),
  'edit a post': async (s) => own(s, `PATCH /posts/${await post(s, s.ada)}`, { content: `g ${s.n}` }),
  'edit a comment': async (s) => own(s, `PATCH /comments/${await comment(s, s.ada)}`, { content: `h ${s.n}` }),
  'delete a post': async (s) => own(s, `DELETE /posts/${await post(s, s.ada)}`),
  'create a comment': async (s) => own(s, `POST /posts/${await post(s)}/comments`, { content: `e ${s.n}` }),
  'delete a comment': async (s) => own(s, `DELETE /comments/${await comment(s, s.ada)}`),
  'vote for a post': async (s) => own(s, `POST /posts/${await post(s)}/upvote`),
  'vote against a post': async (s) => own(s, `POST /posts/${await post(s)}/downvote`),
  'set a vote': async (s) => own(s, `PUT /posts/${await post(s)}/vote`, { value: 1 }),
  'remove a vote': async (s) => {
    const id = await post(s)
    await make(s, s.ada, `POST /posts/${id}/upvote`)
    return own(s, `DELETE /posts/${id}/vote`)
  },
  'vote for a comment': async (s) => own(s, `POST /comments/${await comment(s)}/upvote`),
  'report a post': async (s) => own(s, `POST /posts/${await post(s)}/report`),
  'dismiss reports': async (s) => {
    const id = await post(s, s.bob, await submolt(s))
    await make(s, s.ada, `POST /posts/${id}/report`)
    return own(s, `POST /posts/${id}/dismiss-reports`)
  },
  'create a community': (s) => own(s, 'POST /submolts', { name: `place-${s.n}`, display_name: 'A place' }),
  subscribe: async (s) => [`POST /submolts/${await submolt(s)}/subscribe`, { key: s.bob }],
  unsubscribe: async (s) => own(s, `DELETE /submolts/${await submolt(s)}/subscribe`),
  'change a community': async (s) => own(s, `PATCH /submolts/${await submolt(s)}/settings`, { rules: 'Be kind' }),
  'add a moderator': async (s) => own(s, `POST /submolts/${await submolt(s)}/moderators`, { agent_name: 'bob' }),
  'remove a moderator': async (s) => own(s, `DELETE /submolts/${await moderated(s)}/moderators/bob`),
  'pin a post': async (s) => own(s, `POST /posts/${await post(s, s.bob, await submolt(s))}/pin`),
  'unpin a post': async (s) => {
    const id = await post(s, s.bob, await submolt(s))
    await make(s, s.ada, `POST /posts/${id}/pin`)
    return own(s, `DELETE /posts/${id}/pin`)
  },
  'create a label': async (s) =>
    own(s, `POST /submolts/${await submolt(s)}/labels`, { key: 'tag', label: 'Tag', kind: 'tag' }),
  'attach a label': async (s) => own(s, 'POST /labels/attach', await attachable(s)),
  'detach a label': async (s) => {
    const { attachment } = await make(s, s.ada, 'POST /labels/attach', await attachable(s))
    return own(s, `DELETE /labels/attach/${attachment.id}`)
  },
  'request a conversation': async (s) =>
    own(s, 'POST /agents/dm/request', { to: (await newcomer(s)).name, message: 'May I write to you?' }),
  'approve a conversation': async (s) =>
    own(s, `POST /agents/dm/requests/${await request(s, (await newcomer(s)).key)}/approve`),
  'reject a conversation': async (s) =>
    own(s, `POST /agents/dm/requests/${await request(s, (await newcomer(s)).key)}/reject`),
  'send a message': async (s) => {
    const id = await request(s, (await newcomer(s)).key)
    await make(s, s.ada, `POST /agents/dm/requests/${id}/approve`)
    return own(s, `POST /agents/dm/conversations/${id}/send`, { message: 'Hello' })
  },
  'read all notifications': async (s) => {
    await make(s, s.bob, `POST /posts/${await post(s, s.ada)}/comments`, { content: `f ${s.n}` })
    return own(s, 'POST /notifications/read-all')
  },
  'approve an agent': async (s) => byOperator(s, `POST /operator/agents/${(await newcomer(s)).name}/approve`),
  'suspend an agent': async (s) =>
    byOperator(s, `POST /operator/agents/${(await newcomer(s)).name}/suspend`, { reason: 'spam' }),
  'reinstate an agent': async (s) => {
    const { name } = await newcomer(s)
    await s.network.requestAsOperator(`POST /operator/agents/${name}/suspend`, { reason: 'spam' })
    return byOperator(s, `POST /operator/agents/${name}/reinstate`)
  },
  'issue another key': async (s) => byOperator(s, `POST /operator/agents/${(await newcomer(s)).name}/key`),
  'give a community away': async (s) =>
    byOperator(s, `PUT /operator/submolts/${await submolt(s)}/owner`, { agent: 'bob' }),
}

const LIMITS = [
  'general',
  'register',
  'post',
  'comment',
  'edit',
  'vote',
  'follow',
  'submolt',
  'message',
  'request',
  'report',
]

/** Events that an agent causes by calling at all, or the network by its own clock. */
const BESIDE = /^network\.(?:opened|closed)$/

/** The number of the last event of the network, and the types of those after one. */
function eventsAfter(world: World, seq: number): { seq: number; types: string[] } {
  using database = new Database(join(world.home, 'social.db'), { readonly: true })
  const rows = database.query<{ seq: number; type: string }, [number]>('SELECT seq, type FROM events WHERE seq > ?')
  const all = rows.all(seq)
  return { seq: all.at(-1)?.seq ?? seq, types: all.map(({ type }) => type).filter((type) => !BESIDE.test(type)) }
}

const send = (network: NetworkClient, [operation, request]: Change, key: string): Promise<NetworkResponse> =>
  network.send(operation, { ...request, headers: { 'idempotency-key': key } })

const isSecret = ({ body }: NetworkResponse): boolean => JSON.stringify(body).includes('answered with a secret')

/** Sends a change whose supervisor dies after one of its commits, starts another, and sends it again. */
async function interrupted(network: NetworkClient, change: Change, killer: KillOnSync, sync: number) {
  const { world } = network
  const key = Bun.randomUUIDv7()
  const { seq } = eventsAfter(world, 0)
  killer.arm(sync, 'social.db')
  await send(network, change, key).catch(() => undefined)
  const isKilled = killer.disarm()
  if (isKilled) {
    await world.kill()
    await world.start()
  }
  const again = await send(network, change, key)
  return { isKilled, again, types: eventsAfter(world, seq).types, last: await send(network, change, key) }
}

test('a change on the network whose response a crash lost after any of its commits happens once, and is answered', async () => {
  const killer = new KillOnSync(tempFolder())
  await using network = await NetworkClient.open(
    `[limits]\nrepeats = false\nnewcomer = false\n${LIMITS.map((each) => `${each} = "9000/1h"\n`).join('')}`,
    killer.env,
  )
  const [ada, bob] = [await network.register('ada'), await network.register('bob')]
  for (const name of ['ada', 'bob']) await network.requestAsOperator(`POST /operator/agents/${name}/approve`)
  const wrong: string[] = []
  let n = 0
  let kills = 0
  const scene = (): Scene => ({ network, ada: ada.key, bob: bob.key, n: ++n })
  for (const [name, prepare] of Object.entries(CHANGES)) {
    const change = await prepare(scene())
    const { seq } = eventsAfter(network.world, 0)
    const { status, body } = await send(network, change, Bun.randomUUIDv7())
    if (status >= 300) wrong.push(`${name}: ${status} ${JSON.stringify(body)}`)
    const usual = eventsAfter(network.world, seq).types
    for (const sync of [1, 2]) {
      const { isKilled, again, types, last } = await interrupted(network, await prepare(scene()), killer, sync)
      kills += Number(isKilled)
      const isAnswered = again.status < 300 || isSecret(again) || (name === 'delete an account' && again.status === 401)
      if (!isAnswered) wrong.push(`${name}, ${sync}: ${again.status} ${JSON.stringify(again.body)}`)
      if (!Bun.deepEquals(again.body, last.body) && !isSecret(last))
        wrong.push(`${name}, ${sync}: another answer the third time`)
      if (!Bun.deepEquals(types, usual)) wrong.push(`${name}, ${sync}: ${types} instead of ${usual}`)
    }
  }
  expect(wrong).toEqual([])
  expect(kills).toBeGreaterThanOrEqual(Object.keys(CHANGES).length)
  expect(await network.miscounts()).toEqual([])
}, 600_000)
