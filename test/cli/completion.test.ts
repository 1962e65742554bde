import { describe, expect, test } from 'bun:test'
import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Screen } from '../slow/screen.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
let bead: string
let painted: string
let path: string

shareTown(async (opened) => {
  town = opened
  for (const name of ['shop/worker', 'shop/painter', 'mayor']) await town.gc(['agent', 'add', name, '--command', 'cat'])
  bead = (await town.bead('Oil the hinge')).id
  const created = await town.gc(['bead', 'create', 'Paint the door', '--rig', 'shop', '--json=id'])
  painted = JSON.parse(created.out).id
  await Bun.write(
    town.at('town', 'orders', 'sweep.toml'),
    '[order]\ndescription = "Sweep"\nexec = "true"\ntrigger = "manual"\n',
  )
  await Bun.write(
    town.at('town', 'formulas', 'greet.formula.toml'),
    'formula = "greet"\nversion = 1\n[[steps]]\nid = "hail"\ntitle = "Hail"\n',
  )
  await town.gc(['session', 'new', 'mayor', '--alias', 'boss'])
  path = installGc()
})

/** A folder with a program `gc`, to be found by a shell. */
function installGc(): string {
  const program = process.env.GC_BINARY ?? `${process.execPath} ${resolve(import.meta.dir, '../../cli/main.ts')}`
  const bin = town.at('bin')
  mkdirSync(bin)
  writeFileSync(`${bin}/gc`, `#!/bin/sh\nexec ${program} "$@"\n`)
  chmodSync(`${bin}/gc`, 0o755)
  return bin
}

/** The time counts from the start of the process, which here is that of the tests. */
const NO_HURRY = { GC_COMPLETION_MS: '3600000' }

const words = async (...typed: string[]): Promise<string[] | 'files'> => {
  const { status, out } = await town.gc(['__complete', '--', ...typed], { env: NO_HURRY })
  if (status === 1) return 'files'
  return out.split('\n').flatMap((line) => line.split('\t')[0] || [])
}

describe('completion offers', () => {
  test('the names of what an argument or an option is declared to be', async () => {
    expect(await words('agent', 'show', '')).toEqual(['mayor', 'shop/painter', 'shop/worker'])
    expect(await words('agent', 'show', 'shop/w')).toEqual(['shop/worker'])
    expect(await words('bead', 'show', '')).toEqual([painted, bead])
    expect(await words('bead', 'close', bead, '')).toEqual([painted, bead])
    expect(await words('rig', 'show', '')).toEqual(['shop'])
    expect(await words('formula', 'show', '')).toEqual(['greet'])
    expect(await words('order', 'run', '')).toEqual(['sweep'])
    expect(await words('session', 'show', 'bo')).toEqual(['boss'])
    expect(await words('help', 'sess')).toEqual(['session', 'sessions'])
    expect(await words('--city', '')).toEqual(['town'])
    expect(await words('bead', 'list', '--rig', '')).toEqual(['shop'])
    expect(await words('bead', 'list', '--rig=')).toEqual(['--rig=shop'])
    expect(await words('sling', '')).toEqual(['mayor', 'shop/painter', 'shop/worker', painted, bead])
    expect(await words('init', '--provider', 'clau')).toEqual(['claude'])
  })

  test('commands, options after a dash, the choices of an option, and files where one belongs', async () => {
    expect(await words('bead', 'gr')).toEqual(['graph'])
    expect(await words('bead', 'list', '--li')).toEqual(['--limit'])
    expect(await words('bead', 'list', '--ci')).toEqual(['--city'])
    expect(await words('ready', '--sort', '')).toEqual(['priority', 'oldest', 'hybrid'])
    expect(await words('bead', 'list', '--status', 'in')).toEqual(['in_progress'])
    expect(await words('ready', '--status', 'a')).toEqual(['all'])
    expect(await words('completion', '')).toEqual(['bash', 'zsh', 'fish'])
    expect(await words('restore', '')).toBe('files')
    expect(await words('bead', 'create', 'text', '')).toEqual([])
    expect(await words('no-such-command', '')).toBe('files')
  })

  test('commands, options and names of bd, by both of its names', async () => {
    expect(await words('bd', 'chil')).toEqual(['children'])
    expect(await words('bd', 'dep', 'tr')).toEqual(['tree'])
    expect(await words('bd', 'show', '')).toEqual([painted, bead])
    expect(await words('bd', 'update', bead, '--if-')).toEqual(['--if-status'])
    expect((await town.bd(['__complete', '--', 'mol', 'bu'], { env: NO_HURRY })).out).toStartWith('burn\t')
  })

  test('names of the city that the line names, and nothing when there is none or no supervisor', async () => {
    expect(await words('--city', 'town', 'rig', 'show', '')).toEqual(['shop'])
    expect(await words('--city', 'nowhere', 'rig', 'show', '')).toEqual([])
    const { status, out, err } = await town.gc(['__complete', '--', 'rig', 'show', ''], {
      env: { GC_URL: 'http://127.0.0.1:9', GC_COMPLETION_MS: '20000' },
    })
    expect({ status, out, err }).toEqual({ status: 0, out: '', err: '' })
  })

  test('nothing that a shell would run or break at', async () => {
    await town.gc(['bead', 'create', '$(touch /tmp/x)\n`id`\tmore'])
    const { out } = await town.gc(['__complete', '--', 'bead', 'show', ''], { env: NO_HURRY })
    for (const line of out.trim().split('\n')) expect(line).toMatch(/^[\w-]+\t[^\t]+$/)
  })

  test('nothing when the time is over, and starts no supervisor', async () => {
    const { status, out } = await town.gc(['__complete', '--', 'agent', 'show', ''], { env: { GC_COMPLETION_MS: '1' } })
    expect({ status, out }).toEqual({ status: 0, out: '' })
  })
})

describe('in a real shell', () => {
  const SHELLS: Readonly<Record<string, readonly string[]>> = {
    bash: ['bash', '--norc', '--noprofile', '-i'],
    zsh: ['zsh', '-f', '-i'],
    fish: ['fish', '--no-config', '-i'],
  }

  test.each(Object.entries(SHELLS))(
    '%s completes commands, names and what follows an equals sign',
    async (name, argv) => {
      const env = {
        ...{ ...town.env, PATH: `${path}:${process.env.PATH}`, HOME: town.at('bin'), TERM: 'xterm-256color' },
        ...{ GC_COMPLETION_MS: '20000', PS1: '> ', LANG: 'C.UTF-8' },
      }
      await using screen = new Screen(argv, { cols: 100, rows: 30, env, cwd: town.at('town') })
      screen.press(name === 'fish' ? 'gc completion fish | source\r' : `source <(gc completion ${name})\r`)
      screen.press('echo rea""dy\r')
      await screen.shows('ready')
      for (const [typed, completed] of [
        ['gc agent sh', 'gc agent show'],
        ['gc agent show shop/w', 'gc agent show shop/worker'],
        ['gc bead list --rig=sh', 'gc bead list --rig=shop'],
        ['gc --city town rig show s', 'gc --city town rig show shop'],
        ['gc --city to', 'gc --city town'],
        ['gc session attach bo', 'gc session attach boss'],
        ['gc formula show gr', 'gc formula show greet'],
        ['gc order run sw', 'gc order run sweep'],
        ['gc bd chil', 'gc bd children'],
        [`gc bead show ${painted.split('-')[0]}-`, `gc bead show ${painted}`],
      ] as const) {
        screen.press(typed)
        screen.press('\t')
        await screen.shows(completed)
        screen.press('\x15')
      }
    },
    60_000,
  )
})
