import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { existsSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { openPackFolders } from '../../../src/config/packs/builtin-folders.ts'
import { checkoutName } from '../../../src/config/packs/locate.ts'
import { sha256 } from '../../../src/core/digest.ts'
import { packRepository, packToml } from '../../support/pack-repository.ts'
import { packMachine } from './machine.ts'

// Every test runs git some dozens of times.
setDefaultTimeout(30_000)

const CITY = packToml('town')

describe('adding a pack', () => {
  test('takes the newest version, writes the import, fetches the commit, and locks it', async () => {
    using repository = packRepository()
    repository.commit({ 'roles/pack.toml': packToml('roles') }, 'v1.0.0')
    const commit = repository.commit({ 'roles/note.txt': 'newer' }, 'v1.4.2')
    repository.commit({ 'roles/note.txt': 'not released' })
    using m = packMachine({ files: { 'pack.toml': `# mine\n${CITY}` } })
    const source = `${repository.url}//roles`
    expect(await m.packs.add(source)).toEqual({ name: 'roles', source, version: '^1.4', isGit: true })
    expect(m.read('pack.toml')).toBe(`# mine\n${CITY}\n[imports.roles]\nsource = "${source}"\nversion = "^1.4"\n`)
    expect(m.read('packs.lock')).toContain(
      `[packs."${source}"]\nversion = "1.4.2"\ncommit = "${commit}"\nfetched = "20`,
    )
    const checkout = join(m.folders.checkouts, checkoutName(repository.url, commit))
    expect(readFileSync(join(checkout, 'roles/note.txt'), 'utf8')).toBe('newer')
    expect(existsSync(join(checkout, '.git'))).toBe(false)
    expect(m.progress).toEqual([`fetching ${repository.url} 1.4.2`])
    expect(m.cached()).toEqual([checkoutName(repository.url, commit), `${checkoutName(repository.url, commit)}.json`])
  })

  test('of a repository without versions pins the commit that it shows', async () => {
    using repository = packRepository()
    const commit = repository.commit({ 'pack.toml': packToml('p') })
    using m = packMachine({ files: { 'pack.toml': CITY } })
    expect(await m.packs.add(repository.url, { name: 'p' })).toMatchObject({ name: 'p', version: `sha:${commit}` })
    expect(m.read('packs.lock')).toContain(`version = "sha:${commit}"`)
  })

  test('writes into city.toml when the city has no pack of its own, and into a rig when asked', async () => {
    using repository = packRepository()
    repository.commit({ 'pack.toml': packToml('p') }, '1.0.0')
    using m = packMachine({ files: { 'city.toml': '[[rigs]]\nname = "app"\n\n[[rigs]]\nname = "web"\n' } })
    await m.packs.add(repository.url, { name: 'p', version: '1.0.0', rig: 'app' })
    await m.packs.add(repository.url, { name: 'p', version: '^1.0' })
    const import_ = (header: string, version: string) =>
      `[${header}]\nsource = "${repository.url}"\nversion = "${version}"\n`
    expect(m.read('city.toml')).toBe(
      `[[rigs]]\nname = "app"\n\n${import_('rigs.imports.p', '1.0.0')}\n[[rigs]]\nname = "web"\n\n${import_('imports.p', '^1.0')}`,
    )
    await expect(m.packs.add(repository.url, { name: 'q', rig: 'none' })).rejects.toThrow(
      'no [[rigs]] block named "none"',
    )
  })

  test('of a folder keeps the folder; of one that is committed elsewhere, its repository and commit', async () => {
    using repository = packRepository()
    const commit = repository.commit({ 'packs/a/pack.toml': packToml('a') })
    using m = packMachine({ files: { 'pack.toml': CITY, 'packs/own/pack.toml': packToml('own') } })
    m.write('elsewhere/pack.toml', packToml('e'))
    expect(await m.packs.add('./packs/own')).toEqual({ name: 'own', source: './packs/own', isGit: false })
    expect(await m.packs.add('../elsewhere')).toEqual({ name: 'elsewhere', source: '../elsewhere', isGit: false })
    expect(await m.packs.add(join(repository.path, 'packs/a'))).toEqual({
      ...{ name: 'a', source: `${repository.url}//packs/a`, version: `sha:${commit}`, isGit: true },
    })
    await expect(m.packs.add('../none')).rejects.toThrow('invalid import source: there is no pack.toml in')
  })

  test('that cannot be had changes nothing', async () => {
    using repository = packRepository()
    repository.commit({ 'pack.toml': packToml('p') }, '1.0.0')
    using m = packMachine({ files: { 'pack.toml': CITY } })
    const failures: [() => Promise<unknown>, string][] = [
      [
        () => m.packs.add(repository.url, { name: 'p', version: '^2.0' }),
        'has no version that fits ^2.0, asked for by p; it has 1.0.0',
      ],
      [() => m.packs.add(repository.url, { name: 'p', version: 'main' }), 'is neither sha:<commit> nor a range'],
      [() => m.packs.add(`${repository.url}//none`, { name: 'p' }), 'has no pack.toml in none at 1.0.0'],
      [() => m.packs.add(`${repository.url}#main`, { name: 'p' }), 'give the branch or tag as a version'],
      [
        () => m.packs.add('file:///nowhere/at/all', { name: 'p' }),
        'the versions of file:///nowhere/at/all cannot be read',
      ],
      [() => m.packs.add('https://u:secret@example.com/x.git'), 'a credential in the address'],
      [() => m.packs.add(repository.url, { name: 'default-rig:p' }), 'uses reserved prefix'],
      [() => m.packs.add(repository.url, { name: 'a b' }), 'cannot name an import'],
      [() => m.packs.add('ext::sh -c "touch /tmp/x"', { name: 'p' }), 'it is not the address of a repository'],
    ]
    for (const [failing, message] of failures) await expect(failing()).rejects.toThrow(message)
    expect(m.read('pack.toml')).toBe(CITY)
    expect(existsSync(join(m.path, 'packs.lock'))).toBe(false)
    await m.packs.add(repository.url, { name: 'p' })
    await expect(m.packs.add(repository.url, { name: 'p' })).rejects.toThrow('conflict: import "p" already exists')
  })
})

describe('installing', () => {
  test('fetches what the lock names, though newer versions exist, and leaves the lock unchanged', async () => {
    using repository = packRepository()
    const commit = repository.commit({ 'pack.toml': packToml('p') }, 'v1.0.0')
    repository.commit({ 'note.txt': 'newer' }, 'v1.1.0')
    const lock = `schema = 1\n\n[packs."${repository.url}"]\nversion = "1.0.0"\ncommit = "${commit}"\nfetched = "2026-01-01T00:00:00Z"\n`
    using m = packMachine({
      files: { 'pack.toml': packToml('town', ['p', repository.url, '^1.0']), 'packs.lock': lock },
    })
    expect((await m.packs.install()).get(repository.url)?.version).toBe('1.0.0')
    expect(m.read('packs.lock')).toBe(lock)
    expect(m.packs.checkouts.has(repository.url, commit)).toBe(true)
    m.progress.length = 0
    await m.packs.install()
    expect(m.progress).toEqual([])
  })

  test('refuses a lock that does not fit what is imported, and leaves it', async () => {
    using repository = packRepository()
    const commit = repository.commit({ 'pack.toml': packToml('p') }, 'v1.0.0')
    const lock = `schema = 1\n\n[packs."${repository.url}"]\nversion = "1.0.0"\ncommit = "${commit}"\n`
    using m = packMachine({
      files: { 'pack.toml': packToml('town', ['p', repository.url, '^2.0']), 'packs.lock': lock },
    })
    await expect(m.packs.install()).rejects.toThrow(
      'import "p" asks for ^2.0, and packs.lock has 1.0.0; run `gc import upgrade`',
    )
    expect(m.read('packs.lock')).toBe(lock)
  })

  test('reports it when a commit has vanished, and keeps the lock', async () => {
    using repository = packRepository()
    repository.commit({ 'pack.toml': packToml('p') })
    const gone = 'f895c0ff47d6ee9334ed282a416387eb5b084d24'
    const lock = `schema = 1\n\n[packs."${repository.url}"]\nversion = "sha:${gone}"\ncommit = "${gone}"\n`
    using m = packMachine({ files: { 'pack.toml': packToml('town', ['p', repository.url]), 'packs.lock': lock } })
    await expect(m.packs.install()).rejects.toThrow(
      `${repository.url} no longer has the commit ${gone}; run \`gc import upgrade\` to lock another`,
    )
    expect(m.read('packs.lock')).toBe(lock)
    expect(m.cached()).toEqual([])
    await m.packs.upgrade()
    expect(m.cached()).toHaveLength(2)
  })

  test('follows the imports of packs through repositories and folders, and fetches a shared commit once', async () => {
    using base = packRepository()
    base.commit({ 'pack.toml': packToml('base') }, '1.0.0')
    base.commit({ 'note.txt': '' }, '1.5.0')
    base.commit({ 'note.txt': '2' }, '2.0.0')
    using roles = packRepository()
    const inner = packToml('dev', ['base', base.url, '>=1.0'])
    roles.commit(
      { 'dev/pack.toml': inner, 'all/pack.toml': packToml('all', ['dev', '../dev'], ['base', base.url, '<2.0']) },
      'v0.1.0',
    )
    using m = packMachine({
      files: {
        'pack.toml': packToml('town', ['all', `${roles.url}//all`, '^0.1'], ['own', './packs/own']),
        'packs/own/pack.toml': packToml('own', ['dev', `${roles.url}//dev`, '^0.1']),
      },
    })
    const lock = await m.packs.install()
    expect([...lock].map(([source, { version }]) => [source, version]).sort()).toEqual(
      [
        [base.url, '1.5.0'],
        [`${roles.url}//all`, '0.1.0'],
        [`${roles.url}//dev`, '0.1.0'],
      ].sort(),
    )
    expect(m.progress.filter((line) => line.includes(roles.url))).toHaveLength(1)
  })

  test('of packs that import each other in a circle ends', async () => {
    using a = packRepository()
    using b = packRepository()
    a.commit({ 'pack.toml': packToml('a', ['b', b.url]) }, '1.0.0')
    b.commit({ 'pack.toml': packToml('b', ['a', a.url]) }, '1.0.0')
    using m = packMachine({ files: { 'pack.toml': packToml('town', ['a', a.url]) } })
    expect((await m.packs.install()).size).toBe(2)
  })

  test('of two packs that agree on no version names both', async () => {
    using base = packRepository()
    base.commit({ 'pack.toml': packToml('base') }, '1.0.0')
    base.commit({ 'n.txt': '' }, '2.0.0')
    using m = packMachine({
      files: {
        'pack.toml': packToml('town', ['x', './x'], ['y', './y']),
        'x/pack.toml': packToml('x', ['old', base.url, '^1.0']),
        'y/pack.toml': packToml('y', ['new', base.url, '^2.0']),
      },
    })
    await expect(m.packs.install()).rejects.toThrow('fits ^1.0, ^2.0, asked for by old, new; it has 1.0.0, 2.0.0')
    expect(existsSync(join(m.path, 'packs.lock'))).toBe(false)
  })

  test('needs no network for the packs of gc, and keeps how they are pinned', async () => {
    const source = 'https://github.com/gastownhall/gascity.git//internal/bootstrap/packs/core'
    const commit = 'f895c0ff47d6ee9334ed282a416387eb5b084d24'
    const lock = `schema = 1\n\n[packs."${source}"]\nversion = "sha:${commit}"\ncommit = "${commit}"\n`
    using m = packMachine({
      ...{ env: { PATH: '/nowhere' } },
      files: { 'pack.toml': packToml('town', ['core', source, `sha:${commit}`]), 'packs.lock': lock },
    })
    await m.packs.install()
    expect(m.read('packs.lock')).toBe(lock)
    expect(existsSync(join(m.folders.builtins, 'core/pack.toml'))).toBe(true)
  })
})

describe('upgrading', () => {
  test('takes the newest version that fits, of one import or of all', async () => {
    using one = packRepository()
    using two = packRepository()
    for (const repository of [one, two]) repository.commit({ 'pack.toml': packToml('p') }, '1.0.0')
    using m = packMachine({
      files: { 'pack.toml': packToml('town', ['one', one.url, '^1.0'], ['two', two.url, '^1.0']) },
    })
    await m.packs.install()
    for (const repository of [one, two]) {
      repository.commit({ 'n.txt': '1' }, '1.2.0')
      repository.commit({ 'n.txt': '2' }, '2.0.0')
      repository.commit({ 'n.txt': '3' }, '1.9.0-rc.1')
    }
    const versions = (lock: ReadonlyMap<string, { version: string }>) =>
      [one, two].map(({ url }) => lock.get(url)?.version)
    expect(versions(await m.packs.install())).toEqual(['1.0.0', '1.0.0'])
    expect(versions(await m.packs.upgrade('one'))).toEqual(['1.2.0', '1.0.0'])
    expect(versions(await m.packs.upgrade())).toEqual(['1.2.0', '1.2.0'])
    await expect(m.packs.upgrade('none')).rejects.toThrow('there is no import "none"')
  })

  test('that fails leaves the old lock and the old packs', async () => {
    using repository = packRepository()
    const commit = repository.commit({ 'pack.toml': packToml('p') }, '1.0.0')
    using m = packMachine({ files: { 'pack.toml': packToml('town', ['p', repository.url, '^1.0']) } })
    await m.packs.install()
    const lock = m.read('packs.lock')
    repository.commit({ 'bad.txt': { link: '../../../etc/passwd' } }, '1.1.0')
    await expect(m.packs.upgrade()).rejects.toThrow('its link bad.txt leads out of it')
    rmSync(join(repository.path, '.git'), { recursive: true })
    await expect(m.packs.upgrade()).rejects.toThrow('cannot be read')
    expect(m.read('packs.lock')).toBe(lock)
    expect(m.packs.checkouts.has(repository.url, commit)).toBe(true)
    expect(m.cached()).toHaveLength(2)
  })
})

describe('removing', () => {
  test('takes out the override in city.toml first, then the import, with what only it locked', async () => {
    using repository = packRepository()
    repository.commit({ 'pack.toml': packToml('p') }, '1.0.0')
    using m = packMachine({
      files: {
        'pack.toml': packToml('town', ['p', repository.url, '^1.0']),
        'city.toml': `# mine\n[imports.p]\nsource = "./packs/p"\n`,
        'packs/p/pack.toml': packToml('p'),
      },
    })
    await m.packs.install()
    await m.packs.remove('p')
    expect(m.read('city.toml').trim()).toBe('# mine')
    expect(m.read('packs.lock')).toContain(repository.url)
    await m.packs.remove('p')
    expect(m.read('pack.toml').trim()).toBe(packToml('town').trim())
    expect(m.read('packs.lock')).toBe('schema = 1\n')
    await expect(m.packs.remove('p')).rejects.toThrow('there is no import "p"')
  })

  test('takes out an import however it is written, or says to do it by hand', async () => {
    using m = packMachine({
      files: {
        'pack.toml': `${CITY}\n[imports]\na = { source = "./a" }\nb = { source = "./b" }\n`,
        'city.toml': 'imports.c.source = "./c"\n[defaults.rig.imports.d]\nsource = "./d"\n',
      },
    })
    await m.packs.remove('a')
    expect(m.read('pack.toml')).toBe(`${CITY}\n[imports]\nb = { source = "./b" }\n`)
    await m.packs.remove('d')
    expect(m.read('city.toml')).not.toContain('[defaults')
    await expect(m.packs.remove('c')).rejects.toThrow(
      'city.toml does not write import "c" as a block; remove it there by hand',
    )
  })
})

describe('a clone that another program made where a checkout is expected', () => {
  const clone = (
    files: Parameters<ReturnType<typeof packRepository>['commit']>[0],
    at = (commit: string) => commit,
  ) => {
    const repository = packRepository()
    const commit = repository.commit({ 'pack.toml': packToml('p'), ...files })
    const m = packMachine({ files: { 'pack.toml': packToml('town', ['p', repository.url]) } })
    m.write('city/packs.lock', `schema = 1\n[packs."${repository.url}"]\ncommit = "${commit}"\n`)
    const folder = join(m.folders.checkouts, checkoutName(repository.url, commit))
    repository.git('clone', '--quiet', repository.url, folder)
    repository.git('-C', folder, 'checkout', '--quiet', at(commit))
    return { m, folder, commit, repository }
  }

  test('is used unchanged, without fetching', async () => {
    const { m, folder, commit, repository } = clone({ 'own-link': { link: 'pack.toml' } })
    const [{ url }, name] = [repository, checkoutName(repository.url, commit)]
    repository[Symbol.dispose]()
    using _ = m
    openPackFolders(m.home)
    expect(JSON.parse(readFileSync(`${folder}.json`, 'utf8'))).toEqual({
      ...{ url, commit, fetched: expect.stringMatching(/^20/) },
    })
    await m.packs.install()
    expect(m.progress).toEqual([])
    expect(m.cached()).toEqual([name, `${name}.json`])
    expect(existsSync(join(folder, '.git'))).toBe(true)
  })

  test.each([
    ['holds a link that leads out of it', { out: { link: '/etc/passwd' } }, undefined],
    ['shows a branch instead of the commit', {}, () => 'main'],
  ])('is not used when it %s', (_, files, at) => {
    const { m, folder, repository } = clone(files, at)
    using _m = m
    using _r = repository
    openPackFolders(m.home)
    expect(existsSync(`${folder}.json`)).toBe(false)
  })

  test('or unpacked from itself is copied there, without fetching', () => {
    using m = packMachine()
    const [url, commit, hash] = ['https://github.com/gastownhall/gascity-packs.git', 'a'.repeat(40), 'b'.repeat(64)]
    const name = sha256(`bundled-synthetic-v1\0${url}\0${commit}\0${hash}`)
    const mark = `schema = 1\nrepository = "https://github.com/gastownhall/gascity.git"\ncommit = "${commit}"\ncontent_hash = "${hash}"\n`
    for (const folder of [name, sha256('another')]) {
      m.write(`home/cache/repos/${folder}/.gc-bundled-pack-cache.toml`, mark)
      m.write(`home/cache/repos/${folder}/gastown/pack.toml`, packToml('gastown'))
    }
    openPackFolders(m.home)
    const checkout = checkoutName(url, commit)
    expect(m.cached()).toEqual([name, sha256('another'), checkout, `${checkout}.json`].sort())
    expect(existsSync(join(m.folders.checkouts, checkout, 'gastown/pack.toml'))).toBe(true)
  })

  test('is not an obstacle where the folder of checkouts may not be read', () => {
    using m = packMachine()
    m.write('home/cache/repos', 'not a folder')
    expect(() => openPackFolders(m.home)).not.toThrow()
  })

  test('is not used for another address than its own', () => {
    const { m, folder, repository } = clone({})
    using _m = m
    using _r = repository
    repository.git('-C', folder, 'remote', 'set-url', 'origin', 'https://example.com/other.git')
    openPackFolders(m.home)
    expect(existsSync(`${folder}.json`)).toBe(false)
  })
})
