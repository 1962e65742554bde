import { describe, expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { shareTown, type Town } from './town.ts'

/** Colours, a title, C1 codes, marks that turn or hide text, and a byte order mark: what a hostile agent writes. */
const HOSTILE = 'a\u001b]0;owned\u0007\u001b[2J\u009b31m\u202eb\u2066\u200bc\u200f\ufeff'
const HIDDEN = /[\p{Cc}\p{Cf}\u2028\u2029]/u

let town: Town
let bead: string
shareTown(async (opened) => {
  town = opened
  await town.gc(['agent', 'add', 'crew', '--command', 'sleep 600', '--suspended'])
  bead = (await town.bead(HOSTILE, '--description', HOSTILE, '--label', 'hostile')).id
  const post = (path: string, body: object) =>
    fetch(`${town.url}/v0/city/town/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-gc-request': '1' },
      body: JSON.stringify(body),
    })
  const answers = await Promise.all([
    post(`bead/${bead}/comments`, { text: HOSTILE }),
    post('convoys', { title: HOSTILE, items: [bead] }),
    post('mail', { to: 'crew', subject: HOSTILE, body: HOSTILE }),
    post('mail', { to: 'human', subject: HOSTILE, body: HOSTILE }),
    post(`bead/${bead}/update`, { metadata: { note: HOSTILE } }),
  ])
  expect(answers.map(({ ok }) => ok)).toEqual(answers.map(() => true))
})

describe('nothing that others wrote hides itself or controls the terminal', () => {
  test.each([
    'bead list',
    'bead ready',
    'ready',
    'bead show <bead>',
    'bead comments <bead>',
    'bead history <bead>',
    'graph <bead>',
    'convoy list',
    'convoy stranded',
    'mail inbox human',
    'mail list',
    'mail threads',
    'events --all',
    'attention',
    'status',
  ])('in `gc %s`', async (words) => {
    const args = words.replaceAll('<bead>', bead).split(' ')
    for (const width of [undefined, 200]) {
      const { out, err, status } = await town.gc(args, { width })
      expect([words, status]).toEqual([words, 0])
      expect((out + err).split('\n').filter((line) => HIDDEN.test(line))).toEqual([])
    }
    expect((await town.gc([...args, '--json'])).out.split('\n').filter((line) => HIDDEN.test(line))).toEqual([])
  })

  test.each(['list', 'ready', 'show <bead>', 'search a', 'blocked'])('in `bd %s`', async (words) => {
    const { out, status } = await town.bd(words.replaceAll('<bead>', bead).split(' '), { width: 200 })
    expect([words, status]).toEqual([words, 0])
    expect(out.split('\n').filter((line) => HIDDEN.test(line))).toEqual([])
  })

  test('and `gc bead list` shows each as its escape', async () => {
    const { out } = await town.gc(['bead', 'list'], { width: 200 })
    expect(out).toContain('a\\u009b31m\\u202eb\\u2066\\u200bc\\u200f\\ufeff')
  })

  test('in what a pack brings that runs on its own, and in `gc config show`', async () => {
    const folder = join(town.city, 'packs', 'sly')
    mkdirSync(join(folder, 'agents', 'worker'), { recursive: true })
    const hostile = JSON.stringify(HOSTILE)
    writeFileSync(join(folder, 'pack.toml'), `[pack]\nname = "sly"\nschema = 1\ndescription = ${hostile}\n`)
    const agent = `start_command = "sleep 1"\non_boot = ${hostile}\ndescription = ${hostile}\nsuspended = true\n`
    writeFileSync(join(folder, 'agents', 'worker', 'agent.toml'), agent)
    const added = await town.gc(['import', 'add', './packs/sly'], { cwd: town.city })
    expect([added.status, added.err]).toEqual([0, expect.stringContaining('It brings programs that run automatically')])
    expect(added.err).toContain('a\\u001b]0;owned\\u0007\\u001b[2J\\u009b31m\\u202eb\\u2066\\u200bc\\u200f')
    for (const args of [
      ['config', 'show'],
      ['config', 'show', '--provenance'],
      ['import', 'list', '--tree'],
      ['agent', 'list'],
    ]) {
      const { status, out, err } = await town.gc(args, { cwd: town.city, width: 200 })
      expect([args, status]).toEqual([args, 0])
      expect((out + err).split('\n').filter((line) => HIDDEN.test(line))).toEqual([])
    }
    expect(added.err.split('\n').filter((line) => HIDDEN.test(line))).toEqual([])
  })

  test('in `gc bead export` on a terminal; a file gets what was written', async () => {
    const shown = await town.gc(['bead', 'export'], { width: 200 })
    expect(shown.out.split('\n').filter((line) => HIDDEN.test(line))).toEqual([])
    const piped = await town.gc(['bead', 'export'])
    const titles = (out: string) =>
      out
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => (JSON.parse(line) as { title?: string }).title)
    expect(titles(piped.out)).toContain(HOSTILE)
    expect(titles(shown.out)).toEqual(titles(piped.out))
  })
})
