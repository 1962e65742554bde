import { Database } from 'bun:sqlite'
import { expect, test } from 'bun:test'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { WORKERS } from '../../src/core/store/database-worker.ts'
import { tempFolder } from '../support/folder.ts'

const ROOT = join(import.meta.dir, '../..')

test('a compiled binary contains the database worker and starts it from any folder', async () => {
  using folder = tempFolder()
  const made = await Bun.build({
    entrypoints: [join(import.meta.dir, 'children/database-worker.ts'), ...WORKERS.map((path) => join(ROOT, path))],
    root: ROOT,
    target: 'bun',
    format: 'esm',
    minify: true,
    bytecode: true,
    compile: { outfile: folder.at('program') },
  })
  expect(made.success).toBe(true)
  mkdirSync(folder.at('elsewhere'))
  const child = Bun.spawn([folder.at('program'), folder.at('data', 'a.db'), folder.at('copy.db')], {
    cwd: folder.at('elsewhere'),
    stdout: 'pipe',
    stderr: 'inherit',
    timeout: 20_000,
  })
  expect(await child.stdout.text()).toBe('done\n')
  expect(await child.exited).toBe(0)
  expect(readdirSync(folder.at('data'))).toEqual(['a.db'])
  const copy = new Database(folder.at('copy.db'), { readonly: true })
  expect(copy.query('SELECT count(*) AS n FROM notes').get()).toEqual({ n: 200 })
  copy.close(true)
}, 60_000)
