import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { declare, startSession } from '../api/town.ts'
import { append, claude, write } from '../programs/samples.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'

const WAIT = 90_000

/** An agent whose program keeps a log of what it used. */
export const WRITER = `
[providers.writer]
base = "builtin:claude"
command = "./writer"
prompt_mode = "none"
ready_prompt_prefix = "> "
env = { HOME = "./writers" }
[[agent]]
name = "writer"
provider = "writer"
`

const WRITER_PROGRAM = `#!/bin/sh
umask 077; printf %s "$GC_TOKEN" > "$GC_HOME/token.$GC_SESSION_ID"
printf 'The guide has three chapters now.\\n> '
exec sleep 6000
`

/** An agent that finishes the first two steps of a run, and works on the third. */
const BUILDER = `#!/bin/sh
while bead=$(gc hook --claim --drain-ack --json | sed -n 's/.*"bead_id":"\\([^"]*\\)".*/\\1/p') && [ "$bead" ]; do
  echo x >> "$GC_HOME/built"
  [ "$(wc -l < "$GC_HOME/built")" -ge 3 ] && exec sleep 6000
  bd close "$bead" --reason done
done
`

const FORMULA = `formula = "release"
description = "Build, check and publish a version"
[requires]
formula_compiler = ">=2.0.0"
[vars]
version = "1.4.0"
[[steps]]
id = "notes"
title = "Write the notes of {{version}}"
[[steps]]
id = "build"
title = "Build {{version}}"
[[steps]]
id = "test"
title = "Test the builds of {{version}}"
needs = ["build"]
[[steps]]
id = "sign"
title = "Sign the packages"
needs = ["test"]
[[steps]]
id = "publish"
title = "Publish {{version}} and tell the customers"
needs = ["sign", "notes"]
`

const ORDERS = {
  nightly: 'trigger = "cron"\nschedule = "15 3 * * *"\nexec = "make backup"',
  tidy: 'trigger = "cooldown"\ninterval = "5h"\nexec = "echo 12 branches deleted"',
  triage: 'trigger = "event"\non = "bead.created"\nexec = "exit 3"\nenabled = false',
}

/** Where the pages of the gallery are that are about something. */
export interface Subjects {
  readonly run: string
  readonly convoy: string
  readonly landing: string
  readonly thread: string
  readonly writer: string
}

/** Fills what the pictures of the docs do not show: runs, convoys, orders, landings, mail, usage and budgets. */
export async function fillGallery(city: TestCity, home: string, now: number, beads: string[]): Promise<Subjects> {
  mkdirSync(join(city.path, 'orders'), { recursive: true })
  for (const [name, text] of Object.entries(ORDERS))
    writeFileSync(join(city.path, `orders/${name}.toml`), `[order]\ndescription = "${name}"\n${text}\n`)
  const writer = await writes(city, now)
  await done(city, 'PUT ~/formulas/release', { raw: FORMULA })
  const builder = join(home, 'builder.sh')
  writeFileSync(builder, BUILDER, { mode: 0o755 })
  await declare(city, 'builder', { script: `exec ${builder}` }, { max_active_sessions: 1 })
  const body = { target: 'builder', formula: 'release', vars: { version: '1.5.0' } }
  const { root_bead_id: run } = await done(city, 'POST ~/sling', { body })
  const standing = async () => (await city.call(`GET ~/runs/standing?ids=${run}`)).body.runs[run]?.done
  await eventually('two steps are done', WAIT, standing, (count) => count >= 2)
  const { id: convoy } = await done(city, 'POST ~/convoys', { body: { title: 'Checkout week', items: beads } })
  const mail = { to: 'human', subject: 'The staging key expires on Monday', body: 'Please renew it.' }
  const { thread_id: thread } = await done(city, 'POST ~/mail', { body: mail })
  const letter = { to: 'deployer', subject: 'No deploys on Friday', body: 'We are at the fair.' }
  await done(city, 'POST ~/mail', { body: letter })
  for (const budget of [
    { scope: 'city', unit: 'usd', per: 'day', limit: 5 },
    { scope: 'agent', name: 'writer', unit: 'tokens', per: 'hour', limit: 1_000_000 },
  ])
    await done(city, 'PUT ~/budgets', { body: budget })
  await city.call('POST ~/order/tidy/run', { body: {} })
  return { run, convoy, thread, writer, landing: await lands(city) }
}

/** Starts the session with a log, and has it use something. */
async function writes(city: TestCity, now: number): Promise<string> {
  writeFileSync(join(city.path, 'writer'), WRITER_PROGRAM, { mode: 0o755 })
  const env = { HOME: join(city.path, 'writers') }
  await city.call('PATCH ~/provider/writer', { body: { env } })
  const { id } = await startSession(city, 'writer', { alias: 'writer' })
  const log = join(env.HOME, '.claude', 'projects', city.path.replace(/[/.]/g, '-'), 'k.jsonl')
  const timestamp = new Date(now).toISOString()
  append(write(log, ''), { ...claude.user('u1', null, 'Write the guide', 1), timestamp })
  for (let n = 1; n <= 9; n++)
    append(log, { ...claude.says(`a${n}`, n === 1 ? 'u1' : `a${n - 1}`, `Chapter ${n} is written.`, n), timestamp })
  return id
}

/** Submits the change that is ready, with a check that takes long; the landing of it. */
async function lands(city: TestCity): Promise<string> {
  await done(city, 'PATCH ~/rig/shop/land/settings', { body: { mode: 'push', check: ['sleep 6000'] } })
  const { items } = await done(city, 'GET ~/changes', {})
  const { id } = await done(city, 'POST ~/rig/shop/land', { body: { branch: items[0].branch } })
  return id
}

async function done(city: TestCity, operation: string, options: Parameters<TestCity['call']>[1]) {
  const { status, body } = await city.call(operation, options)
  if (status >= 300) throw new Error(`${operation}: ${JSON.stringify(body)}`)
  return body
}
