import { expect, test } from 'bun:test'
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { confinedTown } from './confined-town.ts'

const TOOLS = resolve(import.meta.dir, '../support/cities/tools/packs/tools')

/** Uses the commands of packs, and keeps something as packs do. */
const SCRIPT = `gc desk note add buy paper > added 2>&1
gc desk note list > listed 2>&1
gc desk env "two words" < /dev/null > env 2>&1
gc desk > help 2>&1
gc --help > all 2>&1
gc spare kept > kept 2>&1
gc nothing > nothing 2>&1
touch "$GC_PACK_STATE_DIR/state" 2> state || mkdir -p "$GC_PACK_STATE_DIR" && touch "$GC_PACK_STATE_DIR/own" && echo kept > state
cat @/mill/city.toml @/mill/packs/tools/pack.toml > hidden 2>&1
touch done; sleep 600`

const IMPORTS = '[imports.desk]\nsource = "packs/tools"\n[imports.spare]\nsource = "../spare"\n'

const agent = (name: string, more = '') =>
  `[[agent]]\nname = "${name}"\nconfine = "default"\nstart_command = '''${SCRIPT}'''\n${more}`

test('the commands of packs run in confined sessions that do not see the files of the city', async () => {
  await using it = await confinedTown(`${IMPORTS}${agent('clerk')}${agent('smith', 'dir = "demo"\n')}`, (path) => {
    mkdirSync(join(path, 'packs'))
    cpSync(TOOLS, join(path, 'packs/tools'), { recursive: true })
    const spare = join(path, '../spare')
    mkdirSync(join(spare, 'commands/kept'), { recursive: true })
    writeFileSync(join(spare, 'pack.toml'), '[pack]\nname = "spare"\nschema = 2\n')
    writeFileSync(
      join(spare, 'commands/kept/run.sh'),
      '#!/bin/sh\necho x > "$GC_PACK_STATE_DIR/x"; cat "$GC_PACK_STATE_DIR/x"\n',
    )
  })
  const { items, warnings } = (await it.call('GET ~/pack-commands')).body
  expect(warnings).toEqual([])
  expect(items).toContainEqual({
    ...{ binding: 'desk', words: ['clock'], description: 'say the time', help: 'What time it is.\n' },
    ...{ script: join(it.path, 'packs/tools/scripts/clock.sh') },
    pack: { name: 'tools', folder: join(it.path, 'packs/tools') },
  })

  for (const name of ['clerk', 'demo/smith']) {
    const folder = await it.done('agent', name)
    const said = (file: string) => readFileSync(join(folder, file), 'utf8')
    expect(said('added')).toMatch(/^noted \S+\n$/)
    expect(said('listed')).toContain('buy paper')
    expect(said('env')).toMatch(/^GC_CITY_NAME=mill$[\s\S]*^GC_PACK_NAME=tools$[\s\S]*^state=yes\nword=two words\n$/m)
    expect(said('env')).toContain(`GC_PACK_STATE_DIR=${it.path}/.gc/confined/`)
    expect(said('help')).toContain('gc desk note add')
    expect(said('all')).toMatch(/^ {2}desk .*note add/m)
    expect(said('kept')).toBe('x\n')
    expect(said('nothing')).toStartWith("gc: unknown command 'nothing'")
    expect(said('state')).toBe('kept\n')
    expect(said('hidden').match(/Permission denied/g)).toHaveLength(2)
  }
  expect(existsSync(join(it.path, '.gc/runtime/packs/spare'))).toBe(false)
}, 60_000)
