import { expect, test } from 'bun:test'
import { tempFolder } from '../support/folder.ts'
import { gitServer, packRepository, packToml } from '../support/pack-repository.ts'
import { gc } from './shell.ts'

test('a private repository is fetched with its credential, and asks for one without', async () => {
  using repository = packRepository()
  repository.commit({ 'pack.toml': packToml('p') }, '1.0.0')
  await using server = gitServer(repository, { token: 'very-secret' })
  using folder = tempFolder()
  await Bun.write(folder.at('city/city.toml'), '')
  await Bun.write(folder.at('city/pack.toml'), packToml('town'))
  const run = (...args: string[]) =>
    gc(['import', ...args], {
      cwd: folder.at('city'),
      env: {
        ...{ PATH: process.env.PATH ?? '', HOME: folder.path, GC_HOME: folder.at('home'), PACKS: 'very-secret' },
        // Nothing listens on the discard port of this machine.
        GC_URL: 'http://127.0.0.1:9',
      },
    })
  expect(await run('add', server.url)).toMatchObject({
    status: 1,
    err: expect.stringContaining(
      `register one with \`gc import credential add ${server.host}/packs --token-file <file>\``,
    ),
  })
  expect(await run('credential', 'add', server.host, '--token-env', 'PACKS', '--global')).toMatchObject({
    status: 0,
    out: `Added credential for ${server.host}\n`,
  })
  expect(await run('add', server.url)).toMatchObject({ status: 0 })
}, 30_000)
