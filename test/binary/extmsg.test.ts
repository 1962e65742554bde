import { expect, test } from 'bun:test'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import type { ConversationTranscriptRecord } from '../../src/connect/extmsg/message-schema.ts'
import type { ConversationRef } from '../../src/connect/extmsg/schema.ts'
import { register } from '../api/town.ts'
import { startAdapter } from '../connect/extmsg/adapter.ts'
import { conversation, message } from '../connect/extmsg/world.ts'
import { eventually } from '../support/until.ts'
import { type Answer, type TestCity, World } from '../support/world.ts'

/** A program with a prompt, as those of agents have, that writes down whatever is typed to it. */
const LISTENER = `#!/bin/sh
printf '> '
while IFS= read -r line; do printf '%s\\n' "$line" >> "$GC_HOME/input"; printf '> '; done
`

/** A city whose agent clerk answers anyone who writes. */
async function openTalking(world: World): Promise<TestCity> {
  const program = world.folder.at('listener')
  writeFileSync(program, LISTENER, { mode: 0o755 })
  return register(
    world,
    'mill',
    `[providers.listener]
command = "${program}"
ready_prompt_prefix = "> "
[[agent]]
name = "clerk"
provider = "listener"
max_active_sessions = 1
[[named_session]]
template = "clerk"
[[extmsg.default_route]]
provider = "chat"
agent = "clerk"
`,
  )
}

const query = (ref: ConversationRef, more: Record<string, string> = {}) => new URLSearchParams({ ...ref, ...more })

/** Sends again until there is an answer, as an adapter does while the supervisor is away. */
async function persist(send: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await send().catch(() => undefined)
    if (answer?.status === 200) return answer
    if (answer && answer.status < 500 && answer.status !== 404) throw new Error(JSON.stringify(answer.body))
    await Bun.sleep(10)
  }
}

test('messages that come in while the supervisor is killed again and again are there once, and reach the session', async () => {
  await using world = await World.open()
  const city = await openTalking(world)
  const input = world.folder.at('home', 'input')
  const typed = () => (existsSync(input) ? readFileSync(input, 'utf8') : '')
  await city.call('POST ~/extmsg/inbound', { body: { message: message('first.', conversation('e0')) } })
  await eventually(
    'the session runs',
    20_000,
    async () => typed(),
    (text) => text.includes('first.'),
  )
  const texts = (adapter: number) => Array.from({ length: 15 }, (_, n) => `word-${adapter}-${n}.`)
  const adapters = [1, 2, 3].map(async (adapter) => {
    for (const text of texts(adapter)) {
      const body = { message: message(text, conversation(`e${adapter}`), { text }) }
      await persist(() => city.call('POST ~/extmsg/inbound', { body }))
    }
  })
  let isDone = false
  const kills = (async () => {
    for (let n = 0; n < 5 && !isDone; n++) {
      await Bun.sleep(30 + 40 * n)
      await world.kill()
      await world.start()
    }
  })()
  await Promise.all(adapters)
  isDone = true
  await kills
  await persist(() => city.call('GET ~/extmsg/adapters'))
  for (const adapter of [1, 2, 3]) {
    const { body } = await city.call(`GET ~/extmsg/transcript?${query(conversation(`e${adapter}`))}`)
    const items: ConversationTranscriptRecord[] = body.items
    expect(items.map(({ Text }) => Text)).toEqual(texts(adapter))
    expect(items.map(({ Sequence }) => Sequence)).toEqual(texts(adapter).map((_, n) => n + 1))
  }
  const { body } = await city.call('GET ~/events?type=extmsg.inbound&limit=1000')
  expect(body.total).toBe(46)
  const missing = () => {
    const text = typed()
    return [1, 2, 3].flatMap(texts).filter((word) => !text.includes(word))
  }
  await eventually(
    'each message is typed',
    30_000,
    async () => missing(),
    (left) => left.length === 0,
  )
}, 60_000)

test('a message that was on its way when the supervisor was killed is known as that, and is not sent again', async () => {
  await using world = await World.open()
  await using adapter = startAdapter()
  const city = await openTalking(world)
  await city.call('POST ~/extmsg/bind', { body: { conversation: conversation('e1'), session_id: 'mi-9' } })
  const registration = { provider: 'chat', account_id: 'acct', callback_url: adapter.url }
  const register = () => city.call('POST ~/extmsg/adapters', { body: registration })
  const send = () =>
    city.call('POST ~/extmsg/outbound', {
      body: { session_id: 'mi-9', conversation: conversation('e1'), text: 'hello', idempotency_key: 'k' },
    })
  expect((await register()).status).toBe(201)
  adapter.answer = () => new Promise(() => {})
  const sending = send().catch(() => 'no answer')
  await adapter.whenAsked(1)
  await world.kill()
  expect(await sending).toBe('no answer')
  await world.start()
  await persist(() => city.call('GET ~/extmsg/adapters'))
  expect((await city.call('GET ~/extmsg/adapters')).body.total).toBe(0)
  await register()
  expect((await send()).body.Receipt).toMatchObject({ Delivered: false, FailureKind: 'unknown' })
  expect(adapter.asked).toHaveLength(1)
}, 30_000)

test('a program without a permission posts nothing in the name of people, and sends in its own name only', async () => {
  await using world = await World.open()
  const city = await register(
    world,
    'mill',
    `[[agent]]\nname = "clerk"\nstart_command = "umask 077; printf %s $GC_TOKEN > $GC_HOME/token.$GC_AGENT; exec sleep 600"\nmin_active_sessions = 1\nmax_active_sessions = 1\n`,
  )
  const file = world.folder.at('home', 'token.clerk')
  const read = async () => (existsSync(file) ? readFileSync(file, 'utf8') : '')
  const token = await eventually('the agent runs', 10_000, read, (text) => text.length > 20)
  const body = { message: message('m1', conversation('e1')) }
  expect((await city.call('POST ~/extmsg/inbound', { token, body })).status).toBe(403)
  const adapter = { provider: 'chat', account_id: 'acct' }
  expect((await city.call('POST ~/extmsg/adapters', { token, body: adapter })).status).toBe(403)
  const other = { session_id: 'mi-9', conversation: conversation('e1'), text: 'x' }
  expect((await city.call('POST ~/extmsg/outbound', { token, body: other })).status).toBe(403)
  expect((await city.call('GET ~/extmsg/conversations')).body.total).toBe(0)
}, 30_000)
