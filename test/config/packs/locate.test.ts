import { expect, test } from 'bun:test'
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { FileSnapshot } from '../../../src/config/files/file-snapshot.ts'
import {
  checkoutName,
  checkoutRecord,
  locatePack,
  type PackImport,
  type PackLocation,
  packFolders,
} from '../../../src/config/packs/locate.ts'
import type { PackLock } from '../../../src/config/packs/lock.ts'
import { tempFolder } from '../../support/folder.ts'

const COMMIT = 'f895c0ff47d6ee9334ed282a416387eb5b084d24'
const URL = 'https://example.com/packs.git'
const PACK = '[pack]\nname = "p"\nschema = 2\n'
const LOCK: PackLock = new Map([[`${URL}//roles`, { version: '1.2.3', commit: COMMIT, fetched: '' }]])

/** A city, and a machine whose cache holds these files. */
function machine() {
  const folder = tempFolder()
  const folders = packFolders(folder.at('home'), 'build')
  const city = { folder: folder.at('city') }
  const write = (path: string, text = PACK) => {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
  }
  const checkout = join(folders.checkouts, checkoutName(URL, COMMIT))
  const fetch = (file: string) => {
    write(join(checkout, file))
    write(join(folders.checkouts, checkoutRecord(URL, COMMIT)), '{}')
  }
  const locate = (what: Partial<PackImport>, from: { folder: string; boundary?: string } = city, lock = LOCK) =>
    locatePack({ binding: 'roles', source: `${URL}//roles`, ...what }, from, {
      files: new FileSnapshot(city.folder),
      lock,
      folders,
    })
  return { city, checkout, folders, write, fetch, locate, [Symbol.dispose]: () => folder[Symbol.dispose]() }
}

const reasonOf = (located: ReturnType<typeof locatePack>) => (located.kind === 'missing' ? located.reason : located)

test('a local pack lies beside the file that imports it', () => {
  using m = machine()
  m.write(join(m.city.folder, 'packs/a/pack.toml'))
  m.write(join(m.city.folder, 'packs/b/pack.toml'))
  const a = m.locate({ source: './packs/a' })
  expect(a).toEqual({ kind: 'local', folder: join(m.city.folder, 'packs/a') })
  expect(m.locate({ source: '../b' }, a as PackLocation)).toMatchObject({ folder: join(m.city.folder, 'packs/b') })
  expect(m.locate({ source: join(m.city.folder, 'packs/a') })).toMatchObject({ kind: 'local' })
  expect(reasonOf(m.locate({ source: './packs/none' }))).toBe(
    `there is no pack.toml for import "roles" in ${join(m.city.folder, 'packs/none')}`,
  )
})

test('a locked pack lies in the checkout of its commit, and what it imports from beside it stays in there', () => {
  using m = machine()
  m.fetch('roles/pack.toml')
  m.fetch('base/pack.toml')
  const roles = m.locate({ version: '^1.2' })
  expect(roles).toEqual({
    ...{ kind: 'git', folder: join(m.checkout, 'roles'), boundary: m.checkout },
    ...{ version: '1.2.3', commit: COMMIT },
  })
  const base = m.locate({ source: '../base' }, roles as PackLocation)
  expect(base).toEqual({ kind: 'local', folder: join(m.checkout, 'base'), boundary: m.checkout })
  for (const source of ['../../..', '/etc']) {
    expect(reasonOf(m.locate({ binding: 'x', source }, roles as PackLocation))).toBe(
      `import "x" of a fetched pack names ${source}, which is outside its repository`,
    )
  }
})

test('a pack that is not there says which command fetches it', () => {
  using m = machine()
  const source = `${URL}//roles`
  expect(reasonOf(m.locate({}, m.city, new Map()))).toBe(
    `import "roles" (${source}) is not locked; run \`gc import install\``,
  )
  expect(reasonOf(m.locate({}))).toBe(`import "roles" (${source}) is not fetched yet; run \`gc import install\``)
  expect(reasonOf(m.locate({ version: '^2.0' }))).toBe(
    'import "roles" asks for ^2.0, and packs.lock has 1.2.3; run `gc import upgrade roles`',
  )
  m.fetch('other/pack.toml')
  expect(reasonOf(m.locate({}))).toBe(`${URL} has no pack.toml in roles at 1.2.3; check the source of import "roles"`)
})

test('a checkout without its record is half fetched, and not used', () => {
  using m = machine()
  m.write(join(m.checkout, 'roles/pack.toml'))
  expect(reasonOf(m.locate({}))).toContain('is not fetched yet')
})

test('a source or version that cannot be read reports it', () => {
  using m = machine()
  expect(reasonOf(m.locate({ source: '' }))).toBe(
    'the source of import "roles" is empty; name a folder or the address of a repository',
  )
  expect(reasonOf(m.locate({ version: 'main' }))).toBe(
    'the version "main" of import "roles" is neither sha:<commit> nor a range such as ^1.2',
  )
})

test('the packs of gc need no lock, and whatever commit is pinned they are those of this build', () => {
  using m = machine()
  const source = 'https://github.com/gastownhall/gascity.git//examples/bd'
  expect(reasonOf(m.locate({ source }))).toContain('run `gc import install`')
  m.write(join(m.folders.builtins, 'bd/pack.toml'))
  m.write(join(m.folders.builtins, 'dolt/pack.toml'))
  const bd = m.locate({ source, version: `sha:${COMMIT}` })
  expect(bd).toMatchObject({ kind: 'builtin', builtin: 'bd', folder: join(m.folders.builtins, 'bd') })
  expect(m.locate({ source: '../dolt' }, bd as PackLocation)).toMatchObject({
    folder: join(m.folders.builtins, 'dolt'),
  })
})
