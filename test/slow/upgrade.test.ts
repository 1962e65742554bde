import { afterAll, beforeAll, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepUnconfined } from '../../src/config/confinement/default-mode.ts'
import { readProcess } from '../../src/host/process/process-table.ts'
import { register } from '../api/town.ts'
import { type TempFolder, tempFolder } from '../support/folder.ts'
import { eventually } from '../support/until.ts'
import type { TestCity } from '../support/world.ts'
import { history, up, World } from './town.ts'

const ROOT = join(import.meta.dir, '../..')

let newer = ''
const built = tempFolder()
beforeAll(async () => {
  newer = await another(built)
}, 60_000)
afterAll(() => built[Symbol.dispose]())

/** Another build of the same program. */
async function another(folder: TempFolder): Promise<string> {
  const argv = [process.execPath, 'scripts/build.ts', '--outdir', folder.path, '--commit', 'newer']
  const build = Bun.spawn(argv, { cwd: ROOT, stdout: 'ignore', stderr: 'pipe' })
  if ((await build.exited) !== 0) throw new Error(await build.stderr.text())
  return folder.at('gc')
}

/** Works on a bead until a finish is requested, and claims the next one with the current `gc`. */
const WORKS = `n=0; last=
while :; do
  bead=$(gc hook --claim --json 2>/dev/null | sed -n 's/.*"bead_id":"\\([^"]*\\)".*/\\1/p')
  if [ -n "$bead" ]; then
    [ "$bead" = "$last" ] || echo "$bead $$ $GC_SESSION_ID" >> "$GC_HOME/worked"; last=$bead
    [ -f "$GC_HOME/finish" ] && bd close "$bead" > /dev/null
  fi
  n=$((n+1)); echo "line $n"; sleep 0.2
done`
const TOWN = `[[agent]]\nname = "worker"\nstart_command = '''${WORKS}'''\nmax_active_sessions = 3\n`

const worked = (world: World): string[] => {
  const path = join(world.home, 'worked')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : []
}

const works = (world: World, count: number) =>
  eventually(
    `${count} beads are worked on`,
    30_000,
    async () => worked(world),
    (lines) => lines.length === count,
  )

const sling = async (city: TestCity, title: string): Promise<string> =>
  (await city.call('POST ~/beads', { body: { title, metadata: { 'gc.routed_to': 'worker' } } })).body.id

const hosts = async (world: World): Promise<{ build: string; pid: number; sessions: number }[]> =>
  (await world.call('GET /v0/host')).body.items

test('a newer supervisor adopts the sessions of an older host, starts new ones in its own, and the older host exits with its last session', async () => {
  await using world = await World.open()
  const city = await register(world, 'mill', TOWN)
  for (const title of ['one', 'two']) await sling(city, title)
  const before = await works(world, 2)
  const [old] = await hosts(world)
  const claims = (await city.call('GET ~/claims')).body.items
  expect(old?.sessions).toBe(2)

  await world.kill()
  world.program = [newer]
  await world.start()
  await up(city)
  expect((await world.call('GET /health')).body.build_id).toBe('newer')
  expect((await city.call('GET ~/claims')).body.items).toEqual(claims)
  const [session] = (await city.call('GET ~/sessions?state=active')).body.items
  const shown = async () => (await city.call(`GET ~/session/${session.id}?peek=true`)).body.last_output
  const first = await shown()
  await eventually('it goes on writing', 10_000, shown, (now) => now !== first)

  const third = await sling(city, 'three')
  const [, , last = ''] = await works(world, 3)
  expect(last).toStartWith(third)
  expect(worked(world).slice(0, 2)).toEqual(before)
  expect<unknown>(await hosts(world)).toMatchObject([
    { build: expect.stringContaining('newer'), pid: expect.any(Number), sessions: 1 },
    old,
  ])

  await city.call('PATCH ~/agent/worker', { body: { suspended: true } })
  await Bun.write(join(world.home, 'finish'), '')
  const open = async () => (await city.call('GET ~/beads?type=task&limit=1')).body.total
  await eventually('all work is done', 30_000, open, (left) => left === 0)
  await eventually(
    'the older host is gone',
    30_000,
    () => hosts(world),
    (all) => all.length === 1,
  )
  await eventually(
    'its process too',
    10_000,
    async () => readProcess(old?.pid ?? 0),
    (one) => !one || one.zombie,
  )
  const events = await history(city)
  expect(events.filter(({ type }) => /crashed|reopened|claim_rejected/.test(type))).toEqual([])
  expect(events.filter(({ type }) => type === 'session.woke')).toHaveLength(3)
}, 120_000)

/** A machine on which somebody uses \`gc\`: a copy of the program in a folder of its own. */
function machine(folder: TempFolder) {
  const gc = folder.at('bin', 'gc')
  mkdirSync(folder.at('bin'))
  copyFileSync(process.env.GC_BINARY ?? '', gc)
  keepUnconfined(folder.at('home'))
  const env = { HOME: folder.path, GC_HOME: folder.at('home'), PATH: process.env.PATH ?? '' }
  const spawn = (args: readonly string[]) =>
    Bun.spawn([gc, ...args], { env, cwd: folder.path, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
  const run = async (...args: string[]) => {
    const child = spawn(args)
    const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()])
    return { status: await child.exited, out, err }
  }
  return { gc, spawn, run, files: () => readdirSync(folder.at('bin')).sort() }
}

/** A gc that starts in an empty home, and not in one with the file `poison`. */
const POISONED = `#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int main(int count, char **words) {
  char path[4096];
  snprintf(path, sizeof path, "%s/poison", getenv("GC_HOME") ? getenv("GC_HOME") : "");
  if (count > 1 && strcmp(words[1], "serve") == 0 && access(path, F_OK) == 0) return 3;
  execv(PROGRAM, words);
  return 127;
}
`

function poisoned(folder: TempFolder): string {
  writeFileSync(folder.at('poisoned.c'), POISONED)
  // A program is for this system when the beginning of its file is that of gc: not for any address.
  const built = Bun.spawnSync(
    ['cc', '-no-pie', `-DPROGRAM="${newer}"`, '-o', folder.at('poisoned'), folder.at('poisoned.c')],
    { stderr: 'pipe' },
  )
  if (built.exitCode !== 0) throw new Error(built.stderr.toString())
  return folder.at('poisoned')
}

test('gc upgrade to a gc that does not start here goes back to the one before, and sessions continue', async () => {
  using folder = tempFolder()
  const { spawn, run } = machine(folder)
  const own = (await run('version')).out
  spawn(['serve', '--log', folder.at('home', 'supervisor.log'), '--port', '0'])
  const file = folder.at('home', 'supervisor.json')
  await eventually('the supervisor is up', 20_000, async () => existsSync(file), Boolean)
  try {
    expect((await run('init', 'town')).status).toBe(0)
    const city = ['--city', 'town']
    await run(...city, 'agent', 'add', 'worker', '--command', 'echo $$ >> pids; exec sleep 600')
    expect((await run(...city, 'session', 'new', 'worker')).status).toBe(0)
    writeFileSync(folder.at('home', 'poison'), '')
    const { status, out, err } = await run('upgrade', '--from', poisoned(folder))
    expect([status, err]).toEqual([
      1,
      expect.stringMatching(
        /^gc: gc \S+ did not start the supervisor, so this gc was restored; `gc logs` shows the reason\n$/,
      ),
    ])
    expect(out).toContain('is replaced')
    expect((await run('version')).out).toBe(own)
    const health = Object(await (await fetch(`${JSON.parse(readFileSync(file, 'utf8')).url}/health`)).json())
    expect(own).toContain(health.build_id)
    const pids = readFileSync(folder.at('town', 'pids'), 'utf8').trim().split('\n')
    expect(pids).toHaveLength(1)
    expect(readProcess(Number(pids[0]))?.zombie).toBe(false)
    const { items } = JSON.parse((await run(...city, 'session', 'list', '--json')).out)
    expect(items).toHaveLength(1)
  } finally {
    await run('down')
  }
}, 180_000)

test('gc upgrade replaces the program and its supervisor while a session continues, and goes back; what is broken or no gc changes nothing', async () => {
  using folder = tempFolder()
  const { gc, spawn, run, files } = machine(folder)
  const own = (await run('version')).out
  spawn(['serve', '--log', folder.at('home', 'supervisor.log'), '--port', '0'])
  const announced = async () => existsSync(folder.at('home', 'supervisor.json'))
  await eventually('the supervisor is up', 20_000, announced, Boolean)
  try {
    expect((await run('init', 'town')).status).toBe(0)
    const city = ['--city', 'town']
    await run(...city, 'agent', 'add', 'worker', '--command', 'echo $$ >> pids; exec sleep 600')
    expect((await run(...city, 'session', 'new', 'worker')).status).toBe(0)
    const pids = () => readFileSync(folder.at('town', 'pids'), 'utf8').trim().split('\n')
    const [pid = ''] = pids()

    copyFileSync(newer, folder.at('broken'))
    truncateSync(folder.at('broken'), 2_000_000)
    writeFileSync(folder.at('text'), '#!/bin/sh\necho \'{"version":"9"}\'\n', { mode: 0o755 })
    for (const file of ['broken', 'text', 'none', '/bin/sh']) {
      const { status, err } = await run('upgrade', '--from', file)
      expect([file, status, err.split('\n').length]).toEqual([file, 1, 2])
    }
    expect((await run('upgrade', '--from', newer, '--dry-run')).out).toMatch(
      /\(newer\)\.\n(.*\n)*Nothing was changed\.\n$/,
    )
    expect([files(), (await run('version')).out]).toEqual([['gc'], own])

    const killed = spawn(['upgrade', '--from', newer])
    await eventually(
      'the copy is begun',
      20_000,
      async () => files(),
      (names) => names.length > 1,
    )
    killed.kill('SIGKILL')
    await killed.exited
    expect([files().length, (await run('version')).out]).toEqual([2, own])

    const upgraded = await run('upgrade', '--from', newer)
    expect(upgraded.err).toBe('')
    expect(upgraded.out).toEndWith(
      '1 session of 1 went on.\nConfinement: agents of this home run unconfined, as they did before; `gc confine on` confines them, `gc confine off` leaves them so.\n',
    )
    expect(files()).toEqual(['gc', 'gc.previous'])
    expect((await run('version')).out).toContain('(newer, ')
    const health = async () =>
      (await fetch(`${JSON.parse(readFileSync(folder.at('home', 'supervisor.json'), 'utf8')).url}/health`)).json()
    expect(await health()).toMatchObject({ build_id: 'newer' })
    expect((await run('upgrade', '--from', `${gc}.previous`)).status).toBe(0)
    expect((await run('version')).out).toBe(own)
    expect(pids()).toEqual([pid])
    expect(readProcess(Number(pid))?.zombie).toBe(false)
  } finally {
    await run('down')
  }
}, 180_000)
