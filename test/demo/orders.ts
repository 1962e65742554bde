import { createHmac, randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gc, home, lines, perform, say, serve, start, until } from './stage.ts'

/**
 * Shows a day of a city with the binary: orders of every kind, a webhook that starts a formula, and a message from outside
 * that an agent answers. The messenger is a small server of this script.
 */

const town = join(home, 'town')
const secret = randomUUID()

/** The agent that people outside talk to: it reads what is typed to it, and answers where it was asked. */
const CLERK = `#!/bin/sh
printf '> '
while IFS= read -r line; do
  case $line in *'gc extmsg send '*)
    talk=$(printf '%s' "$line" | sed 's/.*gc extmsg send \\(c[0-9]*\\).*/\\1/')
    gc extmsg send "$talk" 'The shop opens at nine.' --key "$(printf '%s' "$line" | cksum)"
  esac
  printf '> '
done
`

/** The agent that does the steps of formulas. */
const WORKER = `#!/bin/sh
while :; do
  next=$(gc hook --claim --drain-ack --json)
  case $next in *'"action":"work"'*) ;; *) exit 0 ;; esac
  bead=$(printf '%s' "$next" | sed 's/.*"bead_id":"\\([^"]*\\)".*/\\1/')
  bd close "$bead" --reason 'announced'
done
`

const CITY = `[workspace]
name = "town"
[daemon]
patrol_interval = "1s"
[providers.clerk]
command = "${join(town, 'scripts', 'clerk.sh')}"
ready_prompt_prefix = "> "
[[agent]]
name = "clerk"
provider = "clerk"
max_active_sessions = 1
[[named_session]]
template = "clerk"
[[agent]]
name = "worker"
start_command = "${join(town, 'scripts', 'worker.sh')}"
max_active_sessions = 1
[[extmsg.default_route]]
provider = "chat"
agent = "clerk"
[[webhook]]
name = "releases"
[webhook.verify]
scheme = "hmac-sha256"
secret_env = "RELEASES_SECRET"
[[webhook.rule]]
match = { action = "released" }
order = "announce"
args = { version = "{{version}}" }
`

const FLAG = join(home, 'flag')
const ORDERS: Readonly<Record<string, string>> = {
  'every-minute': 'trigger = "cron"\nschedule = "* * * * *"\nexec = "echo the minute is full"',
  tidy: 'trigger = "cooldown"\ninterval = "1h"\nexec = "echo tidied up"',
  stock: `trigger = "condition"\ncheck = "test -e ${FLAG}"\nexec = "rm ${FLAG} && echo filled the shelf"`,
  answered: 'trigger = "event"\non = "extmsg.outbound"\nexec = "echo somebody was answered"',
  'by-hand': 'trigger = "manual"\nexec = "echo done by hand"',
  announce: 'trigger = "webhook"\nformula = "announce"\npool = "worker"\n[order.params.version]\nrequired = true',
}

const FORMULA = `formula = "announce"
[requires]
formula_compiler = ">=2.0.0"
[vars.version]
required = true
[[steps]]
id = "tell"
title = "Announce {{version}}"
`

/** The city's events as they come. */
const recorded: { type: string; subject?: string; payload?: { bead?: { title?: string } } }[] = []
const happened = (type: string, subject: string): boolean =>
  recorded.some((event) => event.type === type && event.subject === subject)

await perform(async () => {
  await using messenger = startMessenger()
  writeFiles()
  const server = await serve({ RELEASES_SECRET: secret })
  await gc('register', town)
  watch()
  await talk(messenger)
  await release()
  await runOrders()
  await gc('order', 'history')
  await gc('down')
  await until('the supervisor has ended', () => server.exitCode !== null)
})

function writeFiles(): void {
  for (const folder of ['orders', 'formulas', 'scripts']) mkdirSync(join(town, folder), { recursive: true })
  writeFileSync(join(town, 'scripts', 'clerk.sh'), CLERK, { mode: 0o755 })
  writeFileSync(join(town, 'scripts', 'worker.sh'), WORKER, { mode: 0o755 })
  writeFileSync(join(town, 'city.toml'), CITY)
  writeFileSync(join(town, 'formulas', 'announce.toml'), FORMULA)
  for (const [name, text] of Object.entries(ORDERS)) {
    writeFileSync(join(town, 'orders', `${name}.toml`), `[order]\n${text}\n`)
  }
}

/** A messenger: what the city sends there is seen by the people in it. */
function startMessenger() {
  const seen: string[] = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const message: { text: string } = Object(await request.json())
      seen.push(message.text)
      say('messenger', `town: ${message.text}`)
      return Response.json({ delivered: true, message_id: String(seen.length) })
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return { seen, url, [Symbol.asyncDispose]: () => server.stop(true) }
}

/** Somebody writes in the messenger, and an agent answers there. */
async function talk(messenger: ReturnType<typeof startMessenger>): Promise<void> {
  const account = { provider: 'chat', account_id: 'shop' }
  await post('extmsg/adapters', { ...account, callback_url: messenger.url })
  const text = 'When do you open?'
  say('messenger', `Ann: ${text}`)
  await post('extmsg/inbound', {
    message: {
      ...{ provider_message_id: 'm1', text, received_at: new Date().toISOString() },
      conversation: { ...account, scope_id: 'town', conversation_id: 'ann', kind: 'dm' },
      actor: { id: 'ann', display_name: 'Ann', is_bot: false },
    },
  })
  await until('the messenger shows the answer', () => messenger.seen.length > 0)
  await until('the conversation is on record', () => recorded.some(({ type }) => type === 'extmsg.outbound'))
  await gc('extmsg', 'transcript', 'c1')
}

/** A signed delivery starts a formula, whose step an agent does. */
async function release(): Promise<void> {
  const body = JSON.stringify({ action: 'released', version: '1.2' })
  const signature = createHmac('sha256', secret).update(body).digest('hex')
  await post('hook/releases', body, { 'x-signature-256': `sha256=${signature}` })
  const isDone = ({ type, payload }: (typeof recorded)[number]) =>
    type === 'bead.closed' && payload?.bead?.title === 'Announce 1.2'
  await until('the release is announced', () => recorded.some(isDone))
}

async function runOrders(): Promise<void> {
  await gc('order', 'run', 'by-hand')
  writeFileSync(FLAG, '')
  await gc('order', 'list')
  for (const name of ['tidy', 'stock', 'answered', 'by-hand']) {
    await until(`the order ${name} has run`, () => happened('order.completed', name))
  }
  await until('the minute is full', () => happened('order.completed', 'every-minute'), 75_000)
}

function watch(): void {
  lines(start('gc events', ['events', '--follow', '--after', '0', '--json'], { read: true }), (text) => {
    const event = JSON.parse(text)
    recorded.push(event)
    if (/^(order|extmsg|webhook|run|session\.woke)/.test(event.type)) {
      say('event', [event.type, event.subject, event.message].filter(Boolean).join('  '))
    }
  })
}

function operator(): Record<string, string> {
  return { authorization: `Bearer ${readFileSync(join(home, '.gc', 'token'), 'utf8').trim()}` }
}

async function post(path: string, body: object | string, headers = operator()): Promise<void> {
  const { url } = JSON.parse(readFileSync(join(home, '.gc', 'supervisor.json'), 'utf8'))
  const response = await fetch(`${url}/v0/city/town/${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-gc-request': 'demo', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
}
