import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { at, late, ms, say, Table } from './support/figures.ts'
import { Town } from './support/town.ts'

/**
 * Deliveries at a steady rate, until what follows from each is on disk and its sender has the answer: a message in a
 * conversation, a run of an order with its process, and a repetition. `bun test/bench/webhooks.bench.ts`.
 */

const RATE = 200
const SECONDS = 10
const SECRET = 'oil and lamps'

const webhook = (name: string, rule: string) => `
[[webhook]]
name = "${name}"
[webhook.verify]
scheme = "github-hmac-sha256"
secret_env = "HOOK_SECRET"
[[webhook.rule]]
${rule}
`
const TOML = `[webhooks.rate_limit]
per_minute = 100000
burst = 10000
${webhook('talk', 'target = "conversation"\nargs = { provider = "chat", conversation_id = "c", text = "{{text}}" }')}
${webhook('order', 'order = "note"\nargs = { n = "{{n}}" }')}
`

await using town = await Town.open({ HOOK_SECRET: SECRET })
const orders = town.at('mill', 'orders')
mkdirSync(orders, { recursive: true })
writeFileSync(`${orders}/note.toml`, '[order]\ntrigger = "webhook"\nexec = "true"\n[order.params.n]\nrequired = true\n')
const city = await town.city('mill', TOML)
await town.once((wire) =>
  wire.json('POST', `${city}/extmsg/bind`, {
    conversation: { scope_id: 'mill', provider: 'chat', account_id: 'default', conversation_id: 'c', kind: 'dm' },
    session_id: 'mi-1',
  }),
)

const table = new Table()
await measure('a message, in the first seconds of a supervisor', 'talk', 202, (n) => n)
await measure('a message after that', 'talk', 202, (n) => n + RATE * SECONDS)
await measure('the same again', 'talk', 200, (n) => n)
await measure('a run of an order', 'order', 202, (n) => n)
table.print(`webhooks, ${RATE} deliveries a second for ${SECONDS} s`)

async function measure(what: string, name: string, expected: number, numberOf: (n: number) => number): Promise<void> {
  const samples: number[] = []
  const statuses = new Map<number, number>()
  const under: Promise<void>[] = []
  const started = performance.now()
  for (let n = 0; n < RATE * SECONDS; n++) {
    const wait = started + (n * 1000) / RATE - performance.now()
    if (wait > 0) await Bun.sleep(wait)
    under.push(deliver(name, numberOf(n), samples, statuses))
  }
  await Promise.all(under)
  const others = [...statuses].filter(([status]) => status !== expected)
  if (others.length > 0) say(`  other answers: ${JSON.stringify(others)}`)
  const p99 = at(samples, 0.99)
  table.row(what, late(samples), `p99 < ${ms(20)}`, p99 < 20 && others.length === 0)
}

async function deliver(name: string, n: number, samples: number[], statuses: Map<number, number>): Promise<void> {
  const body = JSON.stringify({ n, text: `delivery ${n}` })
  const signature = `sha256=${createHmac('sha256', SECRET).update(body).digest('hex')}`
  const started = performance.now()
  const response = await fetch(`${town.url}/v0/city/mill/hook/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-hub-signature-256': signature },
    body,
  })
  await response.arrayBuffer()
  samples.push(performance.now() - started)
  statuses.set(response.status, (statuses.get(response.status) ?? 0) + 1)
}
