import { expect, test } from 'bun:test'
import { createHmac } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { register } from '../api/town.ts'
import { startAdapter } from '../connect/extmsg/adapter.ts'
import { conversation, message } from '../connect/extmsg/world.ts'
import { writeOrders } from '../orchestration/orders/dispatch/world.ts'
import { tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import { type TestCity, World } from '../support/world.ts'
import { history } from './town.ts'
import { underClock, WallClock } from './wall-clock.ts'

const SECRET = 'oil and lamps'

/** Answers where it was asked, as the reminder says how. */
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

/** Does the steps of formulas. */
const WORKER = `#!/bin/sh
while :; do
  next=$(gc hook --claim --drain-ack --json)
  case $next in *'"action":"work"'*) ;; *) exit 0 ;; esac
  bead=$(printf '%s' "$next" | sed 's/.*"bead_id":"\\([^"]*\\)".*/\\1/')
  bd close "$bead" --reason announced
done
`

const town = (folder: string) => `[daemon]
patrol_interval = "1s"
[providers.clerk]
command = "${folder}/clerk.sh"
ready_prompt_prefix = "> "
[[agent]]
name = "clerk"
provider = "clerk"
max_active_sessions = 1
[[named_session]]
template = "clerk"
[[agent]]
name = "worker"
start_command = "${folder}/worker.sh"
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

const orders = (flag: string) => ({
  opening: 'trigger = "cron"\nschedule = "0 9 * * *"\ntz = "UTC"\nexec = "echo open"',
  nightly: 'trigger = "cron"\nschedule = "30 2 * * *"\ntz = "Europe/Berlin"\nexec = "echo counted"',
  tidy: 'trigger = "cooldown"\ninterval = "4h"\nexec = "echo tidied"',
  stock: `trigger = "condition"\ncheck = "test -e ${flag}"\nexec = "rm ${flag}"`,
  answered: 'trigger = "event"\non = "extmsg.outbound"\nexec = "echo answered"',
  'by-hand': 'trigger = "manual"\nexec = "echo done"',
  announce: 'trigger = "webhook"\nformula = "announce"\npool = "worker"\n[order.params.version]\nrequired = true',
})

const ANNOUNCE =
  'formula = "announce"\n[requires]\nformula_compiler = ">=2.0.0"\n[vars.version]\nrequired = true\n[[steps]]\nid = "tell"\ntitle = "Announce {{version}}"\n'

/** Number of finished runs of each order. */
async function runs(city: TestCity): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { type, subject = '' } of await history(city))
    if (type === 'order.completed') counts[subject] = (counts[subject] ?? 0) + 1
  return counts
}

const when = (city: TestCity, expected: Record<string, number>) =>
  eventually(
    `orders ran: ${JSON.stringify(expected)}`,
    60_000,
    () => runs(city),
    (counts) => Object.entries(expected).every(([name, times]) => (counts[name] ?? 0) >= times),
  )

/** A signed delivery. */
function release(city: TestCity, version: string): Promise<Response> {
  const body = JSON.stringify({ action: 'released', version })
  const signature = createHmac('sha256', SECRET).update(body).digest('hex')
  const headers = { 'content-type': 'application/json', 'x-signature-256': `sha256=${signature}` }
  return fetch(`${city.world.url}/v0/city/mill/hook/releases`, { method: 'POST', headers, body })
}

test.skipIf(process.platform !== 'linux')(
  'over a day each order runs as often as it is due, and who writes or delivers from outside is answered once',
  async () => {
    using folder = tempFolder()
    await using messenger = startAdapter()
    const clock = new WallClock(folder)
    const began = Date.now()
    /** Sets the clock to an hour of the day, counted from midnight UTC of a Tuesday. */
    const setHour = (hour: number) => clock.set(Date.UTC(2026, 11, 1) + hour * 3_600_000 - began)
    setHour(7)
    for (const [name, text] of Object.entries({ 'clerk.sh': CLERK, 'worker.sh': WORKER }))
      writeFileSync(folder.at(name), text, { mode: 0o755 })
    await using world = await World.with({ ...clock.env, RELEASES_SECRET: SECRET })
    await underClock(world, clock)
    const path = world.folder.at('mill')
    mkdirSync(path)
    const flag = join(path, 'flag')
    writeOrders(path, { orders: orders(flag), formulas: { announce: ANNOUNCE } })
    const city = await register(world, 'mill', town(folder.path))
    // What never ran makes up for what was due in the last 25 hours.
    await when(city, { opening: 1, nightly: 1, tidy: 1 })

    setHour(9.01)
    await when(city, { opening: 2 })
    const account = { provider: 'chat', account_id: 'acct', callback_url: messenger.url }
    expect((await city.call('POST ~/extmsg/adapters', { body: account })).status).toBe(201)
    const question = message('m1', conversation('ann'), { text: 'When do you open?' })
    expect((await city.call('POST ~/extmsg/inbound', { body: { message: question } })).status).toBe(200)
    await when(city, { answered: 1 })

    setHour(12)
    await when(city, { tidy: 2 })
    expect([(await release(city, '1.2')).status, (await release(city, '1.2')).status]).toEqual([202, 200])
    await eventually(
      'the release is announced',
      30_000,
      () => history(city),
      (events) => events.some(({ type, payload }) => type === 'bead.closed' && titleOf(payload) === 'Announce 1.2'),
    )

    setHour(18)
    await when(city, { tidy: 3 })
    writeFileSync(flag, '')
    await city.call('POST ~/order/by-hand/run', { body: {} })
    await when(city, { stock: 1, 'by-hand': 1 })

    setHour(31)
    await when(city, { tidy: 4, nightly: 2 })
    expect(await runs(city)).toEqual({
      ...{ opening: 2, nightly: 2, tidy: 4, stock: 1, answered: 1, 'by-hand': 1, announce: 1 },
    })
    expect(messenger.asked.map(({ body }) => Object(body).text)).toEqual(['The shop opens at nine.'])
    const events = await history(city)
    expect(events.filter(({ type }) => type === 'order.failed')).toEqual([])
    expect(events.find(({ subject, type }) => subject === 'opening' && type === 'order.fired')?.ts).toStartWith(
      '2026-12-01T07:',
    )
    expect(events.findLast(({ subject, type }) => subject === 'tidy' && type === 'order.fired')?.ts).toStartWith(
      '2026-12-02T07:',
    )
  },
  200_000,
)

const titleOf = (payload: unknown): unknown => Object(Object(payload).bead).title
