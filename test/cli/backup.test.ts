import { describe, expect, test } from 'bun:test'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Bead } from '../../src/work/schema.ts'
import { shareTown, type Town } from './town.ts'

let town: Town
shareTown((opened) => {
  town = opened
})

const beads = async (city: string) =>
  (await town.json<{ items: Bead[] }>(['--city', city, 'bead', 'list', '--all', '--limit', '1000'])).items

describe('gc backup and gc restore', () => {
  test('copy a running city to another folder without loss, and do not change it', async () => {
    await town.json(['agent', 'add', 'clerk', '--command', 'exec sleep 600'])
    const long = await town.json<Bead>(['bead', 'create', 'long'])
    const first = await town.json<Bead>(['bead', 'create', 'first', '--label', 'a,b', '--priority', 'P1'])
    const second = await town.json<Bead>(['bead', 'create', 'second'])
    await town.json(['bead', 'dep', 'add', second.id, first.id])
    const output = `{"text":"${'é\\n'.repeat(260_000)}"}`
    expect(Buffer.byteLength(output)).toBeGreaterThan(1_000_000)
    const metadata = { 'gc.output_json': output }
    const answer = await fetch(`${town.url}/v0/city/town/bead/${long.id}/update`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gc-request': 'test' },
      body: JSON.stringify({ metadata }),
    })
    expect(await answer.json()).toEqual({ status: 'updated' })
    await town.json(['mail', 'send', 'clerk', '-m', 'hello'])
    const { id } = await town.json<{ id: string }>(['session', 'new', 'clerk', '--alias', 'carl'])
    const deep = join(town.city, 'assets', 'x'.repeat(90), 'ö'.repeat(90))
    for (const folder of [deep, join(town.city, 'notes')]) mkdirSync(folder, { recursive: true })
    writeFileSync(join(deep, 'run.sh'), '#!/bin/sh\n')
    chmodSync(join(deep, 'run.sh'), 0o755)
    writeFileSync(join(deep, 'large'), new Uint8Array(3_000_001).fill(7))
    symlinkSync('run.sh', join(deep, 'link'))
    writeFileSync(join(town.city, 'notes', 'todo.txt'), '')
    mkdirSync(join(town.city, 'orders'))
    writeFileSync(
      join(town.city, 'orders', 'tick.toml'),
      '[order]\ntrigger = "cron"\nschedule = "0 3 1 1 *"\nexec = "./tick.sh"\n',
    )

    const file = town.at('town.tar.gz')
    const writing = Promise.all(Array.from({ length: 20 }, (_, n) => town.json<Bead>(['bead', 'create', `${n}`])))
    const saved = await town.gc(['backup', file])
    expect(saved.out).toStartWith(`City town was saved to ${file}`)
    expect(saved.out).toContain('Not in it, since they are not part of a city: ')
    for (const name of ['"notes"', '/link"']) expect(saved.out).toContain(name)
    await writing
    expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(town.city, '.gc')).filter((name) => name.startsWith('backup'))).toEqual([])
    const again = await town.gc(['backup', file])
    expect([again.status, again.err]).toEqual([1, expect.stringContaining('exists')])

    const copy = town.at('elsewhere', 'copy')
    const restored = await town.gc(['restore', file, copy, '--name', 'copy'])
    expect([restored.err, restored.out]).toEqual([
      'Once restored, it starts these on its own:\n  order tick (city), cron 0 3 1 1 *: ./tick.sh\n',
      expect.stringContaining(`City copy is up at ${copy}`),
    ])
    const comparable = (all: Bead[]) =>
      all.filter(({ issue_type, title }) => issue_type !== 'session' && !/^\d+$/.test(title))
    expect(comparable(await beads('copy'))).toEqual(comparable(await beads('town')))
    expect((await town.json<Bead>(['--city', 'copy', 'bead', 'show', long.id])).metadata).toEqual(metadata)
    expect((await town.gc(['--city', 'copy', 'mail', 'count', 'clerk'])).out).toBe('1 for clerk, 1 unread\n')
    expect(readFileSync(join(copy, 'city.toml'), 'utf8')).toBe(readFileSync(join(town.city, 'city.toml'), 'utf8'))
    const copied = deep.replace(town.city, copy)
    expect(readdirSync(copied).sort()).toEqual(['large', 'run.sh'])
    expect(statSync(join(copied, 'run.sh')).mode & 0o777).toBe(0o755)
    expect(readFileSync(join(copied, 'large')).equals(readFileSync(join(deep, 'large')))).toBe(true)
    expect((await town.json<Bead>(['--city', 'copy', 'bead', 'create', 'new'])).id).not.toBe(second.id)
    const state = async (city: string) =>
      (await town.json<{ state: string; running: boolean }>(['--city', city, 'session', 'show', id])).running
    expect(await state('town')).toBe(true)
    expect(existsSync(join(copy, '.gc', 'backup.json'))).toBe(false)
  }, 60_000)

  test('say what is left to do when only the registration fails, and unpack nothing when no one could register it', async () => {
    const file = town.at('whole.tar.gz')
    await town.gc(['backup', file])
    const taken = await town.gc(['restore', file, town.at('taken'), '--name', 'town'])
    expect([taken.status, taken.err]).toEqual([1, expect.stringContaining('a city named town is registered')])
    expect(taken.err).toEndWith(
      `the city is unpacked, suspended: \`gc register ${town.at('taken')} --name <name>\` starts it\n`,
    )
    expect(existsSync(town.at('taken', 'city.toml'))).toBe(true)
    const away = await town.gc(['restore', file, town.at('away')], { env: { GC_URL: 'http://127.0.0.1:1' } })
    expect([away.status, away.err]).toEqual([1, expect.stringContaining('no supervisor answers')])
    expect(existsSync(town.at('away'))).toBe(false)
  })

  test('explain an error, and leave no partial result', async () => {
    const junk = town.at('junk.tar.gz')
    writeFileSync(junk, 'not a backup')
    const folder = town.at('new')
    const torn = await town.gc(['restore', junk, folder])
    expect([torn.status, torn.err]).toEqual([1, `gc: ${junk} cannot be unpacked: it is damaged, or no backup of gc\n`])
    expect(existsSync(folder)).toBe(false)
    const full = await town.gc(['restore', junk, town.city])
    expect([full.status, full.err]).toEqual([1, expect.stringContaining('is not empty')])
    expect((await town.gc(['restore', town.at('none'), folder])).err).toContain('there is no file')
  })
})
