import { describe, expect, test } from 'bun:test'
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { confinedTown, IDENTITY } from './confined-town.ts'

const agent = (name: string, more: string, script: string) =>
  `[[agent]]\nname = "${name}"\nconfine = "default"\n${more}\nstart_command = '''${script}'''\n`

type Town = Awaited<ReturnType<typeof confinedTown>>

/** The reasons for which sessions of an agent were not started. */
async function refusals({ call }: Town, name: string): Promise<string[]> {
  await call('POST ~/sessions', { body: { kind: 'agent', name } })
  const failed = async (): Promise<string[]> =>
    (await call('GET ~/events?type=request.failed')).body.items.map(
      ({ payload }: { payload: { error_message: string } }) => payload.error_message,
    )
  return eventually(`${name} is refused`, 20_000, failed, ({ length }) => length > 0)
}

function repository(path: string, file: string): string {
  mkdirSync(path, { recursive: true })
  writeFileSync(join(path, file), file)
  for (const words of [
    ['init', '-q'],
    ['add', '-A'],
    [...IDENTITY, 'commit', '-q', '-m', file],
  ])
    Bun.spawnSync(['git', ...words], { cwd: path })
  return path
}

describe('gc, before it confines a program', () => {
  test('obeys no variable of it, as a loader of libraries does, and hands them on', async () => {
    const env = 'env = { LD_DEBUG = "libs", LD_DEBUG_OUTPUT = "@/loader" }'
    await using it = await confinedTown(agent('mayor', env, 'echo "$LD_DEBUG" > had; touch done; sleep 600'))
    const folder = await it.done('agent', 'mayor')
    expect(readFileSync(join(folder, 'had'), 'utf8')).toBe('libs\n')
    expect(readdirSync(it.world.folder.path).filter((name) => name.startsWith('loader'))).toEqual([])
  })

  test('confines to no folder that a link of agents leads to', async () => {
    const own = agent('smith', 'dir = "demo"\nwork_dir = "../demo/sub/deep"', 'touch done; sleep 600')
    await using it = await confinedTown(own)
    mkdirSync(it.world.folder.at('elsewhere'))
    symlinkSync(it.world.folder.at('elsewhere'), join(it.rig, 'sub'))
    const reasons = await refusals(it, 'demo/smith')
    expect(reasons.join()).toContain(`${it.rig}/sub is a link, which agents can change; put what it leads to there`)
    expect(readdirSync(it.world.folder.at('elsewhere'))).toEqual([])
  })
})

test('a session listens nowhere where the supervisor is looked for, and is notified of it', async () => {
  const program = `Bun.listen({ hostname: "127.0.0.2", port: Number(new URL(process.env.GC_URL).port), socket: { data() {} } })`
  const script = `${process.execPath} -e '${program}' 2> why; touch done; sleep 600`
  const more = `confine = { mode = "default", read = ["${process.execPath}"] }`
  await using it = await confinedTown(`[[agent]]\nname = "mayor"\n${more}\nstart_command = ${JSON.stringify(script)}\n`)
  const folder = await it.done('agent', 'mayor')
  expect(readFileSync(join(folder, 'why'), 'utf8')).toContain('EADDRINUSE')
  const [{ id }] = (await it.call('GET ~/sessions')).body.items
  const denied = async () => (await it.call(`GET ~/session/${id}/denials`)).body.items
  const [denial] = await eventually('it is told', 10_000, denied, ({ length }) => length > 0)
  expect(denial).toMatchObject({ call: 'listen', target: `127.0.0.2:${new URL(it.world.url).port}` })
})

test('a session continues confined while the supervisor is killed, and is adopted with what it is refused', async () => {
  const script = `echo $$ > pid; touch answers done
while :; do gc bd list > /dev/null 2>&1 && echo x >> answers; cat @/secret > seen 2> /dev/null; chmod 600 @/secret; sleep 0.2; done`
  await using it = await confinedTown(agent('mayor', '', script))
  writeFileSync(it.world.folder.at('secret'), 'secret')
  const folder = await it.done('agent', 'mayor')
  const { port } = new URL(it.world.url)
  const [{ id }] = (await it.call('GET ~/sessions')).body.items
  const pid = readFileSync(join(folder, 'pid'), 'utf8')
  const answers = async () => readFileSync(join(folder, 'answers'), 'utf8').length
  const refused = async (): Promise<number> =>
    (await it.call(`GET ~/session/${id}/denials`)).body.items?.find(({ call }: { call: string }) => /chmod/.test(call))
      ?.count ?? 0
  await it.world.kill()
  await it.world.start('--port', port)
  const [before, denied] = [await answers(), await eventually('the city runs', 20_000, refused, (count) => count > 0)]
  await eventually('gc answers it', 20_000, answers, (count) => count > before)
  await eventually('it is refused more', 20_000, refused, (count) => count > denied)
  const [session] = (await it.call('GET ~/sessions')).body.items
  expect([session.id, readFileSync(join(folder, 'pid'), 'utf8')]).toEqual([id, pid])
  expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe('')
})

describe('a rig whose folder agents write', () => {
  test('keeps no one waiting by pipes in place of what git keeps', async () => {
    await using it = await confinedTown(agent('smith', 'dir = "demo"', 'touch done; sleep 600'))
    const own = join(it.rig, '.git')
    for (const name of ['config', 'HEAD', 'objects/info/alternates', 'commondir', 'refs/remotes/origin/HEAD']) {
      mkdirSync(join(own, name, '..'), { recursive: true })
      rmSync(join(own, name), { force: true })
      Bun.spawnSync(['mkfifo', join(own, name)])
    }
    expect((await it.call('GET ~/rigs')).status).toBe(200)
    expect(await it.done('agent', 'demo/smith')).toBe(it.rig)
    expect((await it.call('GET ~/status')).status).toBe(200)
  })

  const look = 'cat borrowed > seen; git log -1 --format=%s > subject 2> why; touch done; sleep 600'
  const clone = agent('clerk', 'dir = "demo"\nworktree = true', look)

  /** A rig that borrows all of its history from a repository beside it. */
  async function borrowing(toml: string) {
    const town = await confinedTown(toml)
    const lender = repository(town.world.folder.at('lender'), 'borrowed')
    rmSync(town.rig, { recursive: true })
    Bun.spawnSync(['git', 'clone', '-q', '--shared', lender, town.rig])
    return { ...town, lender, [Symbol.asyncDispose]: () => town[Symbol.asyncDispose]() }
  }

  test('lends its sessions no history of other repositories that no person named', async () => {
    await using it = await borrowing(clone + agent('smith', 'dir = "demo"', 'sleep 600'))
    const objects = join(it.lender, '.git/objects')
    const reasons = await refusals(it, 'demo/clerk')
    const why = `rig demo borrows objects from ${objects}, which an agent may have written there that can change the rig`
    const how = `allow it by read = ["${objects}"] in the confine table of the rig, or give all its agents worktree = true`
    expect(reasons.join()).toContain(`${why}: ${how}`)
  })

  test('lends them what a person lets the rig read', async () => {
    const named = agent('smith', 'dir = "demo"', 'sleep 600').replace(/^/, clone)
    await using it = await borrowing(`[rigs.confine]\nread = ["@/lender/.git/objects"]\n${named}`)
    const folder = await it.done('agent', 'demo/clerk')
    expect(readFileSync(join(folder, 'subject'), 'utf8')).toBe('borrowed\n')
  })

  test('lends them all that it borrows where every agent works in a clone', async () => {
    await using it = await borrowing(clone)
    const folder = await it.done('agent', 'demo/clerk')
    expect([readFileSync(join(folder, 'seen'), 'utf8'), readFileSync(join(folder, 'subject'), 'utf8')]).toEqual([
      'borrowed',
      'borrowed\n',
    ])
  })
})
