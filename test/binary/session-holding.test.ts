import { expect, test } from 'bun:test'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { PROGRAM, World } from '../support/world.ts'

test('gc doctor and gc confine explain tell what holds the sessions of the host that runs, wherever they are run', async () => {
  await using world = await World.with({ GC_SESSION_CGROUP: 'off' })
  const city = await world.city('town', { start_command: 'sleep 600' })
  world.rigFolder('shop')
  const share = 'confine = { mode = "default", share = { pids = 50 } }'
  const agent = `[[agent]]\nname = "w"\ndir = "shop"\nstart_command = "sleep 600"\n${share}\n`
  const toml = await Bun.file(join(city.path, 'city.toml')).text()
  writeFileSync(join(city.path, 'city.toml'), `${toml}\n[[rigs]]\nname = "shop"\npath = "../shop"\n${agent}`)
  const run = async (...argv: string[]) => {
    const child = Bun.spawn([...PROGRAM, ...argv], {
      cwd: city.path,
      env: { PATH: process.env.PATH, HOME: world.folder.at('user'), GC_HOME: world.home },
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    return child.stdout.text()
  }
  const held = 'no cgroup: they are switched off by GC_SESSION_CGROUP; shares of cpu and memory are priorities only'
  const started = () => run('session', 'new', 'shop/w')
  await eventually('a session runs', 20_000, started, (said) => said.includes('active'))
  expect(await run('doctor')).toMatch(new RegExp(`confinement: .*; ${held}\n`))
  expect(await run('confine', 'explain', 'shop/w')).toContain(`Limits of cpu and memory: ${held};`)
  const { items } = (await world.call('GET /v0/host', { token: world.operatorToken })).body
  expect(items).toMatchObject([{ sessions: 1, no_cgroup: 'they are switched off by GC_SESSION_CGROUP' }])
})
