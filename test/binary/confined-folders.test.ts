import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { eventually } from '../support/until.ts'
import { confinedTown, IDENTITY } from './confined-town.ts'

/** Notes what of the city can be read and written, and that it is done. */
const LOOK = `for file in formulas/plan.toml secrets/key .env city.toml .gc/city.db; do
  cat "$GC_CITY_PATH/$file" > /dev/null 2>&1 && echo "$file" >> readable
done
echo x >> "$GC_CITY_PATH/formulas/plan.toml" && echo formulas >> writable
echo "$PWD" >> folders; touch done; sleep 600`

const agent = (name: string, more: string, script = LOOK) =>
  `[[agent]]\nname = "${name}"\nconfine = "default"\n${more}\nstart_command = '''${script}'''\n`

describe('a confined session', () => {
  test('of an agent without a rig works in a folder of its own, which stays, and reads what the city keeps for agents', async () => {
    await using it = await confinedTown(agent('mayor', ''))
    const folder = await it.done('agent', 'mayor')
    expect(folder).toBe(join(it.path, '.gc/agents/mayor'))
    expect(readFileSync(join(folder, 'readable'), 'utf8')).toBe('formulas/plan.toml\n')
    expect(existsSync(join(folder, 'writable'))).toBe(false)
    const [session] = (await it.call('GET ~/sessions')).body.items
    await it.call(`POST ~/session/${session.id}/close`)
    expect(existsSync(join(folder, 'done'))).toBe(true)
  })

  test('of an agent that began in the city’s folder moves into its own when it is confined', async () => {
    await using it = await confinedTown(
      `[[agent]]\nname = "mayor"\nconfine = "off"\nstart_command = "touch done; sleep 600"\n[[named_session]]\ntemplate = "mayor"\nmode = "always"\n`,
    )
    const session = async () => (await it.call('GET ~/sessions')).body.items[0]
    await eventually('it runs', 20_000, async () => existsSync(join(it.path, 'done')), Boolean)
    const before = await session()
    expect(before.work_dir).toBe(it.path)
    const file = join(it.path, 'city.toml')
    writeFileSync(file, readFileSync(file, 'utf8').replace('"off"', '"default"'))
    const mode = async () => (await it.call(`GET ~/session/${before.id}/denials`)).body.confine
    await eventually('it runs in a sandbox', 10_000, mode, (each) => each === 'default')
    await it.call(`POST ~/session/${before.id}/kill`)
    const folder = join(it.path, '.gc/agents/mayor')
    await eventually('it runs elsewhere', 30_000, async () => existsSync(join(folder, 'done')), Boolean)
    expect(await session()).toMatchObject({ id: before.id, work_dir: folder })
  })

  test('commits in a linked worktree that its pack makes of its rig, and writes nothing else of the rig', async () => {
    const script = `git ${IDENTITY.join(' ')} commit -q --allow-empty -m worked 2> why
cat "$GC_RIG_ROOT/kept" > seen; touch "$GC_RIG_ROOT/planted"; touch done; sleep 600`
    const place = `dir = "demo"\nmax_active_sessions = 1\nwork_dir = ".gc/worktrees/{{.Rig}}/crew/{{.AgentBase}}"\n`
    const setup = `pre_start = ["git -C {{.RigRoot}} worktree add -q -b crew {{.WorkDir}}"]`
    await using it = await confinedTown(agent('smith', place + setup, script))
    writeFileSync(join(it.rig, 'kept'), 'kept')
    const folder = await it.done('agent', 'demo/smith')
    expect(folder).toBe(join(it.path, '.gc/worktrees/demo/crew/smith'))
    const log = Bun.spawnSync(['git', 'log', '-1', '--format=%s', 'crew'], { cwd: it.rig }).stdout.toString()
    expect([log, readFileSync(join(folder, 'why'), 'utf8')]).toEqual(['worked\n', ''])
    expect(readFileSync(join(folder, 'seen'), 'utf8')).toBe('kept')
    expect(existsSync(join(it.rig, 'planted'))).toBe(false)
  })

  test('of a provider without an agent is confined as the default says, with the table of its provider, in a folder of its own', async () => {
    const provider = `[providers.mine]\ncommand = "sh"\nargs = ["-c", '''cat @/shared > shared; ${LOOK}''']\nprompt_mode = "none"\n`
    const more = '[providers.mine.confine]\nread = ["@/shared"]\n'
    await using it = await confinedTown(provider + more)
    writeFileSync(it.world.folder.at('shared'), 'shared')
    const folder = await it.done('provider', 'mine')
    expect(folder).toBe(join(it.path, '.gc/agents/@mine'))
    expect(readFileSync(join(folder, 'readable'), 'utf8')).toBe('formulas/plan.toml\n')
    expect(readFileSync(join(folder, 'shared'), 'utf8')).toBe('shared')
    const [{ id }] = (await it.call('GET ~/sessions')).body.items
    expect((await it.call(`GET ~/session/${id}/denials`)).body).toMatchObject({
      confine: 'default',
      confined: 'default',
    })
  })

  test('is not started in the clone of another session, nor in a folder of it', async () => {
    const clerk = agent('clerk', 'dir = "demo"\nworktree = true', 'touch done; sleep 600')
    await using it = await confinedTown(clerk)
    const clone = await it.done('agent', 'demo/clerk')
    const file = join(it.path, 'city.toml')
    const spies = [clone, join(clone, 'src')].map((place, at) => agent(`spy${at}`, `work_dir = "${place}"`))
    writeFileSync(file, `${readFileSync(file, 'utf8')}${spies.join('')}`)
    const known = async () => (await it.call('GET ~/agent/spy1')).status
    await eventually('they are declared', 10_000, known, (status) => status === 200)
    for (const at of spies.keys()) await it.call('POST ~/sessions', { body: { kind: 'agent', name: `spy${at}` } })
    const refused = async (): Promise<string[]> =>
      (await it.call('GET ~/events?type=request.failed')).body.items.map(
        ({ payload }: { payload: { error_message: string } }) => payload.error_message,
      )
    const reasons = await eventually('both are refused', 20_000, refused, ({ length }) => length === spies.length)
    for (const reason of reasons) expect(reason).toContain(`would void that: ${clone} is the worktree of session mi-`)
    expect(existsSync(join(clone, 'src'))).toBe(false)
  })

  test('is not started in a folder where gc keeps its own files, or that of every agent, nor through a link', async () => {
    const places = ['.gc', '.gc/runtime', '.gc/agents', '.gc/worktrees/demo', '.gc/agents/linked', '@/user']
    const toml = places.map((place, at) => agent(`a${at}`, `work_dir = "${place}"`)).join('')
    await using it = await confinedTown(toml, (path) => {
      mkdirSync(join(path, '.gc/agents'), { recursive: true })
      mkdirSync(join(path, 'elsewhere'))
      symlinkSync(join(path, 'elsewhere'), join(path, '.gc/agents/linked'))
    })
    for (const at of places.keys()) await it.call('POST ~/sessions', { body: { kind: 'agent', name: `a${at}` } })
    const refused = async (): Promise<string[]> => {
      const { items } = (await it.call('GET ~/events?type=request.failed')).body
      return items.map(({ payload }: { payload: { error_message: string } }) => payload.error_message)
    }
    const reasons = await eventually('all are refused', 20_000, refused, ({ length }) => length === places.length)
    const own = `would void that: ${it.path}/.gc has gc's own files`
    const whys = places.slice(0, 4).map((place) => `${it.path}/${place} ${own}`)
    whys.push('.gc/agents/linked is a link', `${it.world.folder.at('user')} has your keys`)
    expect(whys.filter((why) => !reasons.some((reason) => reason.includes(why)))).toEqual([])
    expect(existsSync(join(it.path, 'elsewhere/done'))).toBe(false)
  })
})
