import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { type CallOptions, World } from '../support/world.ts'

/** Claims a bead, tries what it must not, writes what it may, and closes the bead. */
const WORKER = `bead=$(gc hook --claim --json | sed -n "s/.*\\"bead_id\\":\\"\\([^\\"]*\\)\\".*/\\1/p")
[ -n "$bead" ] || { gc runtime drain-ack; sleep 600; }
cat ../secret > seen 2> refused
cat ../allowed/data > data; echo kept >> ../allowed/out/new; echo lost 2>> refused >> ../allowed/data
chmod 600 ../secret 2> unchanged; chmod 600 ../secret 2> unchanged
tee -a "$GC_CITY_PATH/city.toml" < /dev/null 2>> refused
cat "$GC_HOME/token" >> seen 2>> refused
echo kept > "$TMPDIR/own" && cat "$TMPDIR/own" > done
gc bd close "$bead" --reason done > /dev/null
sleep 600`

const city = (confine: string, more = '') => `[workspace]
name = "mill"
[[rigs]]
name = "demo"
path = "../demo"
[[agent]]
name = "worker"
dir = "demo"
confine = { mode = "${confine}", read = ["@/allowed"], write = ["@/allowed/out"] }
start_command = '''${WORKER}'''
${more}`

/** A supervisor that asks for tokens, with a city and a rig beside a file that is no one's. */
const open = async (toml: string, ...flags: string[]) => openIn(await World.open(...flags), toml)

async function openIn(world: World, toml: string) {
  const path = world.folder.at('mill')
  for (const folder of [path, world.folder.at('demo')]) mkdirSync(folder)
  writeFileSync(world.folder.at('secret'), 'secret')
  mkdirSync(world.folder.at('allowed', 'out'), { recursive: true })
  writeFileSync(world.folder.at('allowed', 'data'), 'data')
  writeFileSync(join(path, 'city.toml'), toml.replaceAll('@', world.folder.path))
  const token = world.operatorToken
  const call = (line: string, options: CallOptions = {}) => world.call(line, { token, ...options })
  await call('POST /v0/city/register', { body: { path } })
  const running = async () => (await call('GET /v0/city/mill/health')).status
  await eventually('the city runs', 20_000, running, (status) => status === 200)
  return {
    world,
    path,
    call: (line: string, options?: CallOptions) => call(line.replace('~', '/v0/city/mill'), options),
  }
}

const work = { title: 'one', rig: 'demo', metadata: { 'gc.routed_to': 'demo/worker' } }

describe('an agent that is confined', () => {
  test('does its work in its rig and where its profile lets it, and sees and changes nothing else', async () => {
    const { world, path, call } = await open(city('default'), '--require-token')
    await using _ = world
    const before = readFileSync(join(path, 'city.toml'), 'utf8')
    const { body } = await call('POST ~/beads', { body: work })
    const bead = async () => (await call(`GET ~/bead/${body.id}`)).body
    const { status } = await eventually('the bead is closed', 20_000, bead, (each) => each.status === 'closed')
    expect(status).toBe('closed')
    const rig = world.folder.at('demo')
    expect(readFileSync(join(rig, 'done'), 'utf8')).toBe('kept\n')
    expect(readFileSync(join(rig, 'seen'), 'utf8')).toBe('')
    expect(readFileSync(join(rig, 'refused'), 'utf8').match(/denied/gi)).toHaveLength(4)
    expect(readFileSync(join(rig, 'data'), 'utf8')).toBe('data')
    expect(readFileSync(world.folder.at('allowed', 'out', 'new'), 'utf8')).toBe('kept\n')
    expect(readFileSync(world.folder.at('allowed', 'data'), 'utf8')).toBe('data')
    const [session] = (await call('GET ~/sessions')).body.items
    const denials = async () => (await call(`GET ~/session/${session.id}/denials`)).body
    const told = await eventually('it is told', 10_000, denials, ({ total }) => total >= 1)
    const [target, allow] = [world.folder.at('secret'), `write = ["${world.folder.at('secret')}"]`]
    expect(told.items).toMatchObject([{ call: expect.stringContaining('chmod'), target, allow }])
    expect(readFileSync(join(path, 'city.toml'), 'utf8')).toBe(before)
  })

  test('has a private folder that goes when its session is closed', async () => {
    const { world, path, call } = await open(city('network'), '--require-token')
    await using _ = world
    await call('POST ~/beads', { body: work })
    const sessions = async () => (await call('GET ~/sessions')).body.items
    const folders = join(path, '.gc', 'confined')
    const written = () => existsSync(folders) && readdirSync(folders).length === 1
    await eventually('it has begun', 20_000, async () => written(), Boolean)
    const [session] = await sessions()
    expect(readdirSync(folders)).toEqual([session.id])
    expect((await call(`POST ~/session/${session.id}/close`)).status).toBe(200)
    const isThere = async () => existsSync(join(folders, session.id))
    await eventually('the folder is gone', 10_000, isThere, (there) => !there)
  })

  test('is listed with a process that left it, which a sweep ends', async () => {
    const leaves = "(setsid sh -c 'echo $$ > daemon; exec sleep 700' &) ; exec sleep 600"
    const toml = city('default').replace(WORKER, () => leaves)
    const { world, call } = await openIn(await World.with({ GC_SESSION_CGROUP: 'off' }, '--require-token'), toml)
    await using _ = world
    await call('POST ~/beads', { body: work })
    const file = world.folder.at('demo', 'daemon')
    const pid = async () => (existsSync(file) ? Number(readFileSync(file, 'utf8')) : 0)
    const daemon = await eventually('the daemon runs', 20_000, pid, (each) => each > 0)
    const [{ id }] = (await call('GET ~/sessions')).body.items
    const left = { pid: daemon, session_id: id, command: 'sleep 700' }
    expect((await call('GET ~/detached-processes')).body.items).toMatchObject([left])
    const { body } = await call('POST ~/detached-processes/sweep', { body: { session: id } })
    expect(body).toMatchObject({ ended: [left], remaining: [] })
    expect((await call('GET ~/detached-processes')).body.items).toEqual([])
  })

  test('is not started while a program without a token is taken for a person', async () => {
    const { world, call } = await open(city('default'), '--no-require-token')
    await using _ = world
    await call('POST ~/beads', { body: work })
    const agent = async () => (await call('GET ~/agents')).body.items[0]
    const { unavailable_reason: reason } = await eventually('it is held', 10_000, agent, (each) => !each.available)
    expect(reason).toContain('start gc without --no-require-token, or set confine = "off"')
    expect(readdirSync(world.folder.at('demo'))).toEqual([])
  })

  test('is not started with a profile that leads to what it must not change', async () => {
    const { world, path, call } = await open(city('default'), '--require-token')
    await using _ = world
    rmdirSync(world.folder.at('allowed', 'out'))
    symlinkSync(join(path, '.gc'), world.folder.at('allowed', 'out'))
    await call('POST ~/sessions', { body: { kind: 'agent', name: 'demo/worker' } })
    const failures = async (): Promise<string> => {
      const { items } = (await call('GET ~/events')).body
      return JSON.stringify(items.filter(({ type }: { type: string }) => type === 'request.failed'))
    }
    const told = await eventually('it is refused', 10_000, failures, (each) => each !== '[]')
    expect(told).toContain(`which would void its confinement: ${path}/.gc has gc's own files`)
    expect(readdirSync(world.folder.at('demo'))).toEqual([])
  })

  test('commits in a clone that comes home when its bead is closed, and cannot touch the history of its rig', async () => {
    const commits = WORKER.replace(
      'cat ../secret > seen 2> refused',
      `git -c user.name=a -c user.email=a@b commit -q --allow-empty -m worked
for try in 'rm -rf $RIG/.git/objects' 'git push -q rig HEAD:main' 'git push -q origin HEAD:other' 'touch $RIG/planted'; do
  eval "$try" > /dev/null 2>&1 && echo "$try" >> passed
done
git fetch -q rig && git rev-parse rig/main > fetched
cat ../../../../../secret > seen 2> refused`,
    )
    const toml = city('default', 'worktree = true\n').replace(WORKER, () => `RIG=$GC_RIG_ROOT\n${commits}`)
    const { world, call } = await open(toml, '--require-token')
    await using _ = world
    const rig = world.rigFolder('demo', { git: true })
    const git = (...words: string[]) => {
      const named = ['-c', 'user.name=a', '-c', 'user.email=a@b']
      const ran = Bun.spawnSync(['git', ...named, ...words], { cwd: rig })
      return ran.exitCode === 0 ? ran.stdout.toString().trim() : ran.stderr.toString()
    }
    git('commit', '-q', '--allow-empty', '-m', 'first')
    const { body } = await call('POST ~/beads', { body: work })
    const bead = async () => (await call(`GET ~/bead/${body.id}`)).body
    await eventually('the bead is closed', 20_000, bead, (each) => each.status === 'closed')
    const worktrees = async (): Promise<{ branch: string; path: string }[]> =>
      (await call('GET ~/worktrees')).body.items
    const home = ([each]: { branch: string; path: string }[]) =>
      git('log', '-1', '--format=%s', each?.branch ?? '') === 'worked'
    const [{ path, branch } = { path: '', branch: '' }] = await eventually(
      'the work is in the rig',
      20_000,
      worktrees,
      home,
    )
    expect(branch).toStartWith(`gc/${body.id}-`)
    expect(readdirSync(path)).toContain('done')
    expect(readdirSync(path)).not.toContain('passed')
    expect(readFileSync(join(path, 'fetched'), 'utf8').trim()).toBe(git('rev-parse', 'main'))
    expect(readFileSync(join(path, 'refused'), 'utf8').match(/denied/gi)).toHaveLength(3)
    expect(git('fsck', '--full', '--no-dangling')).toBe('')
    expect(readdirSync(rig)).toEqual(['.git'])
    expect(git('branch', '--format=%(refname:short)').split('\n').sort()).toEqual([branch, 'main'].sort())
  })
})
