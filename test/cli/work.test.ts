import { describe, expect, test } from 'bun:test'
import { chmodSync, readFileSync } from 'node:fs'
import { timers } from '../../cli/io/timers.ts'
import { Client } from '../../src/client/client.ts'
import { shareTown, type Town } from './town.ts'

/** An agent that does what it reads from a file, one command a line, and then waits to be ended. */
const PUPPET = `#!/bin/sh
mkfifo "$GC_DIR/orders"
exec 3<> "$GC_DIR/orders"
touch "$GC_DIR/answer"
while read -r order <&3; do
  sh -c "$order" > "$GC_DIR/answer.new" 2> "$GC_DIR/complaint"
  echo "status $?" >> "$GC_DIR/answer.new"
  mv "$GC_DIR/answer.new" "$GC_DIR/answer"
  echo "did: $order"
done
`

let town: Town
let bead: string

/** Resolves when an event of that type and subject has been recorded since `after`. */
async function seen(type: string, after: string, subject?: string): Promise<void> {
  const city = new Client({ url: town.url, token: undefined }).city('town')
  const options = { signal: AbortSignal.timeout(10_000), timers, after }
  for await (const frame of city.follow('GET ~/events/stream', {}, options)) {
    if (frame.event === 'gap' || frame.data.type !== type) continue
    if (subject === undefined || frame.data.subject === subject) return
  }
  throw new Error(`no ${type} came`)
}

async function there(path: string): Promise<void> {
  for (const end = Date.now() + 10_000; !(await Bun.file(path).exists()); await Bun.sleep(5)) {
    if (Date.now() > end) throw new Error(`${path} did not come`)
  }
}

/** Has the agent run a command inside its session; what it printed and the status it ended with. */
async function inside(order: string): Promise<{ out: string; status: number }> {
  const answer = `${town.rig}/answer`
  await Bun.file(answer).unlink()
  await Bun.write(`${town.rig}/orders`, `${order}\n`)
  await there(answer)
  const text = readFileSync(answer, 'utf8')
  const [, out = '', status = '-1'] = /^(.*)status (\d+)\n$/s.exec(text) ?? []
  return { out, status: Number(status) }
}

shareTown(async (opened) => {
  town = opened
  await Bun.write(town.at('puppet.sh'), PUPPET)
  chmodSync(town.at('puppet.sh'), 0o755)
  await town.json(['agent', 'add', 'shop/puppet', '--command', town.at('puppet.sh'), '--prompt', 'You are {{.Agent}}.'])
  bead = (await town.json<{ bead_id: string }>(['sling', 'shop/puppet', 'Make the door'])).bead_id
  await there(`${town.rig}/answer`)
})

describe('inside a session', () => {
  test('gc and bd are on the PATH and act as the session', async () => {
    expect(await inside('gc version --json')).toMatchObject({ status: 0 })
    const { out, status } = await inside('bd ready --json')
    expect(status).toBe(0)
    expect(JSON.parse(out)).toMatchObject([{ id: bead, title: 'Make the door', status: 'open' }])
  })

  test('prime prints the agent’s own instructions', async () => {
    expect(await inside('gc prime')).toEqual({ out: 'You are shop/puppet.\n', status: 0 })
    expect(JSON.parse((await inside('gc prime --json')).out)).toMatchObject({
      schema_version: '1',
      ok: true,
      agent: 'shop/puppet',
      content: 'You are shop/puppet.\n',
      bytes: 21,
    })
  })

  test('hook shows work without claiming it, claims it, and then returns the same claim', async () => {
    const shown = await inside('gc hook --json')
    expect(shown.status).toBe(0)
    expect(JSON.parse(shown.out)).toMatchObject([{ id: bead }])
    const taken = await inside('gc hook --claim --json')
    expect(taken.out.trimEnd().split('\n')).toHaveLength(1)
    expect(JSON.parse(taken.out)).toMatchObject({
      schema_version: '1',
      ok: true,
      command: 'hook',
      action: 'work',
      reason: 'claimed',
      bead_id: bead,
      route: 'shop/puppet',
    })
    expect(JSON.parse((await inside('gc hook --claim --json')).out)).toMatchObject({
      action: 'work',
      reason: 'existing_assignment',
      bead_id: bead,
    })
  })

  test('claimed work cannot be claimed again', async () => {
    const result = await town.bd(['update', bead, '--claim'])
    expect(result).toMatchObject({ status: 1, out: '' })
    expect(result.err).toStartWith('Error: ')
  })

  test('bd updates and closes it, with a reason', async () => {
    const updated = await inside(`bd update ${bead} --add-label wood --set-metadata kind=oak --json`)
    expect(JSON.parse(updated.out)).toMatchObject([{ id: bead, labels: ['wood'], metadata: { kind: 'oak' } }])
    const closed = await inside(`bd close ${bead} --reason 'it hangs' --json`)
    expect(JSON.parse(closed.out)).toMatchObject([{ id: bead, status: 'closed', close_reason: 'it hangs' }])
  })

  test('without work, hook ends with status 1, or with 0 when it acknowledges the drain', async () => {
    const none = await inside('gc hook --claim --json')
    expect(none.status).toBe(1)
    expect(JSON.parse(none.out)).toMatchObject({ action: 'drain', reason: 'no_work', drain_acknowledged: false })
    expect((await inside('gc runtime drain-check')).status).toBe(1)
    expect(await inside('gc hook')).toEqual({ out: '', status: 1 })
    expect(await inside('gc hook --inject')).toEqual({ out: '', status: 0 })
  })

  test('gc fails without its token', async () => {
    const { status } = await inside('env -u GC_TOKEN gc status')
    expect(status).toBe(1)
    expect(readFileSync(`${town.rig}/complaint`, 'utf8')).toContain('GC_TOKEN is missing')
  })
})

describe('a session seen from outside', () => {
  test('is listed and shown with its agent', async () => {
    const { items } = await town.json<{ items: { id: string; state: string }[] }>(['session', 'list'])
    expect(items).toMatchObject([{ template: 'shop/puppet', state: 'active', running: true }])
    const [{ id } = { id: '' }] = items
    expect((await town.gc(['session', 'show', id])).out).toContain('active, running')
    expect((await town.gc(['status'])).out).toContain('shop/puppet')
  })

  test('its screen can be read', async () => {
    expect((await town.gc(['session', 'peek', 'shop/puppet'])).out).toContain('did: gc hook --inject')
  })

  test('its terminal can be watched read-only without a terminal', async () => {
    const onOutput = Promise.withResolvers<void>()
    const stop = new AbortController()
    const attached = town.gc(['session', 'attach', 'shop/puppet', '--read-only'], {
      signal: AbortSignal.any([stop.signal, AbortSignal.timeout(10_000)]),
      onOutput: (out) => {
        if (out.includes('did: ')) onOutput.resolve()
      },
    })
    await onOutput.promise
    stop.abort()
    expect((await attached).out).toContain('did: gc version --json')
  })

  test('attaching with input needs a terminal', async () => {
    const { status, err } = await town.gc(['session', 'attach', 'shop/puppet'])
    expect({ status, err }).toEqual({
      status: 1,
      err: 'gc: attaching needs a terminal; use --read-only without one\n',
    })
  })

  test('a session that does not exist is reported', async () => {
    const { status, err } = await town.gc(['session', 'show', 'nobody'])
    expect(status).toBe(1)
    expect(err).toContain('nobody')
  })

  test('acknowledging the drain ends it', async () => {
    const head = (await town.gc(['events', '--seq'])).out.trim()
    await Bun.write(`${town.rig}/orders`, 'gc runtime drain-ack\n')
    await seen('session.stopped', head)
    expect((await town.gc(['session', 'list'])).out).toBe(
      'No sessions are running; sling work to an agent to start one.\n',
    )
  })
})

test('the supervisor reported no unexpected errors', () => {
  expect(town.reports).toEqual([])
})
