import { expect, test } from 'bun:test'
import { readFileSync, writeFileSync } from 'node:fs'
import { Config } from '../../../src/config/compose/config.ts'
import { EditLock } from '../../../src/config/files/edit-lock.ts'
import { addBlock } from '../../../src/core/toml/edit.ts'
import { tempFolder } from '../../support/folder.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

function city() {
  const folder = tempFolder()
  writeFileSync(folder.at('city.toml'), '[workspace]\nname = "town"\n')
  const editor = (then: 'hold' | 'write', ...names: readonly string[]) =>
    Bun.spawn([process.execPath, `${import.meta.dir}/children/edit.ts`, folder.path, then, ...names], {
      stdin: 'pipe',
      stdout: 'pipe',
      stderr: 'inherit',
      timeout: 30_000,
    })
  return {
    path: folder.path,
    editor,
    async holder(name: string) {
      const child = editor('hold', name)
      await child.stdout.getReader().read()
      return child
    },
    text: () => readFileSync(folder.at('city.toml'), 'utf8'),
    [Symbol.dispose]: folder[Symbol.dispose],
  }
}

test('an edit is made of what another process, which is editing, will have written', async () => {
  using town = city()
  const config = await Config.open(town.path)
  const other = await town.holder('a thought')
  const seen: boolean[] = []
  const edited = config.edit({ kind: 'operator', name: 'operator' }, ({ files }) => {
    const text = files.city.text('city.toml') ?? ''
    seen.push(text.includes('# a thought'))
    return new Map([
      [
        'city.toml',
        addBlock(text, '[[rigs]]', [
          ['name', 'shop'],
          ['path', '/shop'],
        ]),
      ],
    ])
  })
  await Bun.sleep(50)
  other.stdin.end()
  await edited
  expect(seen).toEqual([true])
  expect(town.text()).toMatch(/# a thought\n[\s\S]*name = "shop"/)
})

test('two processes that edit at the same time lose nothing of each other', async () => {
  using town = city()
  const names = (who: string) => numbers(20).map((n) => `${who}${n}`)
  const editors = [town.editor('write', ...names('one')), town.editor('write', ...names('other'))]
  expect(await Promise.all(editors.map(({ exited }) => exited))).toEqual([0, 0])
  const written = town
    .text()
    .match(/(?<=^# ).*/gm)
    ?.toSorted()
  expect(written).toEqual([...names('one'), ...names('other')].toSorted())
})

test('an edit that waited too long names the process that holds the files', async () => {
  using town = city()
  const other = await town.holder('a thought')
  await expect(EditLock.acquire(town.path, 30)).rejects.toMatchObject({
    code: 'conflict-concurrent-modify',
    message: `conflict: the files of ${town.path} are still being changed by an edit (pid ${other.pid}); try again when that has ended`,
  })
  other.stdin.end()
  await other.exited
})

test('a process that is killed while it edits keeps no one waiting', async () => {
  using town = city()
  const other = await town.holder('a thought')
  other.kill('SIGKILL')
  await other.exited
  using lock = await EditLock.acquire(town.path, 0)
  expect(lock.folder).toBe(town.path)
})
