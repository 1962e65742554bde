import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { displayWidth } from '../../src/client/text.ts'
import type { Bead } from '../../src/work/schema.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

describe('beads', () => {
  test('--json prints one line with exactly the wire shape', async () => {
    const { id } = await town.bead('Wire')
    const convoy = await town.json<Bead>(['convoy', 'create', 'Wired', id])
    const printed = async (...args: string[]): Promise<unknown> => {
      const { out } = await town.gc([...args, '--json'])
      expect(out.split('\n')).toHaveLength(2)
      return JSON.parse(out)
    }
    const wire = async (path: string) => Object(await (await fetch(`${town.url}/v0/city/town/${path}`)).json())
    expect(await printed('bead', 'show', id)).toEqual(await wire(`bead/${id}`))
    expect(await printed('bead', 'graph', id)).toEqual(await wire(`beads/graph/${id}`))
    expect(await printed('convoy', 'show', convoy.id)).toMatchObject(await wire(`convoy/${convoy.id}`))
  })

  test('a list fits the terminal and has no colour with NO_COLOR', async () => {
    await town.bead('A bead with a title that is a good deal longer than any terminal is wide, 日本語も含めて')
    for (const width of [100, 60, 30, 10]) {
      const { out } = await town.gc(['bead', 'list'], { width })
      for (const line of out.trimEnd().split('\n')) expect(displayWidth(line)).toBeLessThanOrEqual(Math.max(width, 45))
      expect(out).not.toContain('\u001b')
    }
    expect((await town.gc(['bead', 'list'], { width: 80, colour: true })).out).toContain('\u001b[')
  })
})

describe('rigs and agents', () => {
  test('a rig is listed, suspended, resumed and removed', async () => {
    mkdirSync(town.at('mill'))
    await town.json(['rig', 'add', town.at('mill'), '--prefix', 'ml'])
    expect((await town.gc(['rig', 'list'])).out).toContain('mill')
    expect((await town.gc(['rig', 'suspend', 'mill'])).out).toBe('Rig mill is suspended.\n')
    expect(await town.json(['rig', 'show', 'mill'])).toMatchObject({ suspended: true, prefix: 'ml' })
    expect((await town.gc(['rig', 'resume', 'mill'])).out).toBe('Rig mill is resumed.\n')
    expect((await town.gc(['rig', 'remove', 'mill'])).status).toBe(0)
    expect((await town.gc(['rig', 'show', 'mill'])).status).toBe(1)
  })

  test('an agent is added with its command and prompt, listed, suspended and removed', async () => {
    await Bun.write(town.at('prompt.md'), 'You paint.')
    const args = ['agent', 'add', 'shop/painter', '--command', 'cat', '--prompt-file', town.at('prompt.md')]
    expect((await town.gc(args)).out).toStartWith('Agent shop/painter was added')
    expect(await Bun.file(town.at('town', 'agents')).exists()).toBe(false)
    expect((await town.gc(['agent', 'list'])).out).toContain('shop/painter')
    expect((await town.gc(['agent', 'suspend', 'shop/painter'])).status).toBe(0)
    expect(await town.json(['agent', 'show', 'shop/painter'])).toMatchObject({ suspended: true, state: 'suspended' })
    expect((await town.gc(['agent', 'remove', 'shop/painter'])).out).toBe('Agent shop/painter was removed.\n')
    expect((await town.gc(['agent', 'show', 'shop/painter'])).status).toBe(1)
  })

  test('work is slung as text or by its id, and a mistyped id creates no task', async () => {
    await town.json(['agent', 'add', 'shop/sleeper', '--command', 'cat', '--suspended'])
    const slung = await town.json<{ bead_id: string }>(['sling', 'shop/sleeper', 'Sweep', 'the', 'floor'])
    expect(slung).toMatchObject({ schema_version: '1', ok: true, success: true, target: 'shop/sleeper', routed: true })
    const bead = await town.json<Bead>(['bead', 'show', slung.bead_id])
    expect(bead).toMatchObject({ title: 'Sweep the floor', metadata: { 'gc.routed_to': 'shop/sleeper' } })
    const again = await town.gc(['sling', 'shop/sleeper', slung.bead_id])
    expect(again).toMatchObject({ status: 0, out: `${slung.bead_id} goes to shop/sleeper.\n` })
    const before = await town.json<{ total: number }>(['bead', 'list'])
    expect((await town.gc(['sling', 'shop/sleeper', 'sho-4711'])).status).toBe(1)
    expect(await town.json<{ total: number }>(['bead', 'list'])).toMatchObject({ total: before.total })
    const stdin = 'Title of it\n\nAnd what\nit is about.\n'
    const read = await town.json<{ bead_id: string }>(['sling', 'shop/sleeper', '--stdin'], { stdin })
    expect(await town.json<Bead>(['bead', 'show', read.bead_id])).toMatchObject({
      title: 'Title of it',
      description: 'And what\nit is about.',
    })
  })
})

describe('events', () => {
  test('past events are printed oldest first, one a line, with --json in their wire shape', async () => {
    const { id } = await town.bead('An event')
    const { out } = await town.gc(['events', '--type', 'bead.created', '--json'])
    const events = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(events.at(-1)).toMatchObject({ type: 'bead.created', subject: id })
    expect(events.map(({ seq }) => seq)).toEqual(events.map(({ seq }) => seq).toSorted((a, b) => a - b))
    expect((await town.gc(['events', '--type', 'bead.created', '--limit', '1'])).out).toContain('An event')
  })

  test('--after prints everything newer and ends', async () => {
    const head = (await town.gc(['events', '--seq'])).out.trim()
    const { id } = await town.bead('Newer')
    const { out } = await town.gc(['events', '--after', head, '--json'])
    const created = out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .filter(({ type }) => type === 'bead.created')
    expect(created).toMatchObject([{ subject: id }])
    expect((await town.gc(['events', '--after', '999999'])).out).toBe('')
  })

  test('--follow prints events until it is interrupted', async () => {
    const stop = new AbortController()
    const head = (await town.gc(['events', '--seq'])).out.trim()
    const { id } = await town.bead('Followed')
    const onOutput = (out: string) => {
      if (out.includes(id)) stop.abort()
    }
    const args = ['events', '--follow', '--json', '--after', head, '--type', 'bead.closed']
    const following = town.gc(args, { signal: AbortSignal.any([stop.signal, AbortSignal.timeout(5000)]), onOutput })
    await town.json(['bead', 'close', id])
    expect(JSON.parse((await following).out)).toMatchObject({ type: 'bead.closed', subject: id })
  })
})

describe('custom events', () => {
  const listed = async (...more: string[]) =>
    (await town.gc(['events', '--json', '--limit', '1', ...more])).out
      .trimEnd()
      .split('\n')
      .map((each) => JSON.parse(each))

  test('are recorded with the caller as actor, by both names of the command', async () => {
    const emit = ['emit', 'deploy.finished', '--subject', 'shop', '--message', 'it is out']
    expect((await town.gc(['events', ...emit])).out).toBe('Recorded deploy.finished.\n')
    expect(await listed('--type', 'deploy.finished')).toMatchObject([
      { type: 'deploy.finished', actor: 'human', subject: 'shop', message: 'it is out', payload: {} },
    ])
    expect(await town.json<object>(['event', ...emit, '--actor', 'robot'])).toEqual({ status: 'recorded' })
    expect(await listed('--actor', 'robot')).toMatchObject([{ type: 'deploy.finished', actor: 'robot' }])
    expect((await town.gc(['event', 'emit', 'convoy.closed'])).out).toBe('Recorded convoy.closed.\n')
    expect(await listed('--type', 'convoy.closed')).toMatchObject([{ actor: 'human', payload: {} }])
  })

  test('are archived with all other events, and are still listed', async () => {
    const head = async () => Number((await town.gc(['events', '--seq'])).out)
    const before = await head()
    const result = await town.gc(['events', 'rotate', '--wait'])
    const [, last = '', path = ''] = /^Events 1 to (\d+) are in (\S+)\.\n$/.exec(result.out) ?? []
    const after = await head()
    // What the city does by itself is recorded in between, too.
    expect(Number(last)).toBeWithin(before, after + 1)
    expect(existsSync(path)).toBe(true)
    expect(await listed('--type', 'deploy.finished')).toHaveLength(1)
    const { archive } = await town.json<{ archive: { last_seq: number } }>(['events', 'rotate'])
    expect(archive.last_seq).toBeWithin(after, (await head()) + 1)
  })
})

describe('watching for events', () => {
  const head = async () => (await town.gc(['events', '--seq'])).out.trim()
  const lines = ({ out }: { out: string }) =>
    out
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))

  test('--watch ends with the first match, also one already recorded after --after', async () => {
    const after = await head()
    const { id } = await town.bead('Watched for')
    await town.bead('Not watched for')
    const args = ['events', '--watch', '--json', '--type', 'bead.created', '--after', after]
    expect(lines(await town.gc(args))).toMatchObject([{ type: 'bead.created', subject: id }])
  })

  test('--watch without a match in time ends with status 1; --follow just ends', async () => {
    const never = ['--type', 'never.happens', '--timeout', '0s']
    expect(await town.gc(['events', '--watch', ...never])).toEqual({
      status: 1,
      out: '',
      err: 'gc: no event within 0 s\n',
    })
    expect(await town.gc(['events', '--follow', ...never])).toEqual({ status: 0, out: '', err: '' })
    expect((await town.gc(['events', '--all', '--after', '3'])).status).toBe(2)
    expect((await town.gc(['events', '--watch', '--actor', 'nobody', '--timeout', '0'])).status).toBe(1)
    expect((await town.gc(['events', '--timeout', 'soon'])).err).toContain('such as 30s, 10m or 2h')
  })

  test('--since shows all events of the period, also with --follow; --limit may exceed a page', async () => {
    const before = Number(await head())
    for (let n = 0; n < 60; n++) await town.bead(`crowd ${n}`)
    const listed = lines(await town.gc(['events', '--since', '1h', '--json']))
    expect(listed.length).toBeGreaterThanOrEqual(before + 60)
    expect(listed.at(0)).toMatchObject({ seq: 1 })
    expect(lines(await town.gc(['events', '--limit', '7', '--json']))).toHaveLength(7)
    expect((await town.gc(['events', '--limit', '5000', '--json'])).status).toBe(0)
    const stop = new AbortController()
    const onOutput = (out: string) => {
      if (out.includes('crowd 59') && !stop.signal.aborted) stop.abort()
    }
    const following = ['events', '--since', '1h', '--follow', '--type', 'bead.created']
    const { out } = await town.gc(following, { signal: stop.signal, onOutput })
    expect(out).toContain('crowd 0')
  })
})

describe('choosing the city', () => {
  test('is the only registered one, in any folder', async () => {
    expect((await town.gc(['status'], { cwd: '/' })).out).toContain(town.city)
  })

  test('with several: the current folder’s, the rig’s, GC_CITY, --city; else an error lists them', async () => {
    const other = town.at('village')
    expect((await town.gc(['init', other])).out).toStartWith('City village is up')
    const named = async (shell: object, ...args: string[]) => {
      const { out, err } = await town.gc([...args, 'status', '--json'], shell)
      return out ? JSON.parse(out).name : err
    }
    mkdirSync(`${other}/deep/down`, { recursive: true })
    expect(await named({ cwd: `${other}/deep/down` })).toBe('village')
    expect(await named({ cwd: town.city })).toBe('town')
    expect(await named({ cwd: town.rig })).toBe('town')
    expect(await named({ cwd: '/', env: { GC_CITY: other } })).toBe('village')
    expect(await named({ cwd: '/', env: { GC_CITY: 'town' } })).toBe('town')
    expect(await named({ cwd: other, env: { GC_CITY: other } }, '--city', 'town')).toBe('town')
    expect(await named({ cwd: '/' })).toContain(
      '"which city? There are town, village; give `--city <name>`, or run gc in the folder of one"',
    )
    expect(await named({ cwd: '/' }, '--city', './nowhere')).toContain('no city is registered at /nowhere')
    expect((await town.gc(['unregister', 'village'])).status).toBe(0)
    expect((await town.json<{ total: number }>(['city', 'list'])).total).toBe(1)
  })

  test('init ends with status 2 in a folder that already has a city', async () => {
    const { status, err } = await town.gc(['init', town.city])
    expect(status).toBe(2)
    expect(err).toBe(`gc: city already initialized at ${town.city}; \`gc start ${town.city}\` starts it\n`)
  })

  test('init and register say what is wrong with a folder, and change nothing', async () => {
    writeFileSync(town.at('file'), 'a file')
    const below = town.at('file', 'below')
    expect(await town.gc(['init', below])).toMatchObject({
      ...{ status: 1, out: '' },
      err: `gc: ${below} cannot become a city: ${below}/.gc: a part of the path is not a directory\n`,
    })
    for (const name of ['file', 'nowhere'])
      expect((await town.gc(['register', town.at(name)])).err).toBe(
        `gc: ${town.at(name)} has no city.toml; \`gc init\` makes a city\n`,
      )
    expect((await town.json<{ total: number }>(['city', 'list'])).total).toBe(1)
    expect(existsSync(town.at('nowhere'))).toBe(false)
  })
})

test('a city is suspended and resumed', async () => {
  expect((await town.gc(['city', 'suspend'])).out).toBe('City town is suspended.\n')
  expect(await town.json(['status'])).toMatchObject({ suspended: true })
  expect((await town.gc(['city', 'resume'])).out).toBe('City town is resumed.\n')
})

test('the supervisor reported no unexpected errors', () => {
  expect(town.reports).toEqual([])
})
