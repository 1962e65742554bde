import { describe, expect, test } from 'bun:test'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { installer } from '../../scripts/release/installer.ts'
import { sha256 } from '../../scripts/release/sha256.ts'
import { readSigningKey, signatureOf } from '../../scripts/release/signing-key.ts'
import { type TempFolder, tempFolder } from '../support/folder.ts'
import { releaseServer, run, runWell } from './release-build.ts'

const PROGRAM = gzipSync('#!/bin/sh\necho "gc 9.9.9 (abc, 2026-01-02)"\n')
const FORGED = gzipSync('#!/bin/sh\necho forged\n')
const NAME = 'gc-9.9.9-linux-x64.gz'
const SHELLS = { dash: ['dash'], bash: ['bash', '--posix'], busybox: ['busybox', 'sh'] }

/** A person's home, and a PATH with only these programs and what the installer needs besides. */
function person(folder: TempFolder, tools: readonly string[]) {
  const needed = [
    'cat',
    'chmod',
    'cut',
    'grep',
    'gzip',
    'ls',
    'mkdir',
    'mktemp',
    'mv',
    'rm',
    'sha256sum',
    'sh',
    'uname',
  ]
  mkdirSync(folder.at('bin'))
  mkdirSync(folder.at('tmp'))
  for (const tool of [...needed, ...tools]) symlinkSync(Bun.which(tool) ?? '/none', folder.at('bin', tool))
  const env = { HOME: folder.at('home'), PATH: folder.at('bin'), TMPDIR: folder.at('tmp') }
  const left = () => [
    ...readdirSync(folder.at('tmp')),
    ...(existsSync(env.HOME) ? readdirSync(`${env.HOME}/.local/bin`) : []),
  ]
  return { env, left }
}

const signedBy = (publicKey?: string, url = '') =>
  installer({ version: '9.9.9', publicKey, url, checksums: new Map([['linux-x64', sha256(PROGRAM)]]) })

async function install(
  folder: TempFolder,
  shell: readonly string[],
  script: string,
  env: Record<string, string>,
  ...words: string[]
) {
  writeFileSync(folder.at('install.sh'), script)
  const [program = '', ...rest] = shell
  return run(
    [Bun.which(program) ?? program, ...rest, folder.at('install.sh'), '--target', 'linux-x64', ...words],
    folder.path,
    env,
  )
}

describe.each(Object.entries(SHELLS))('the installer in %s', (_, shell) => {
  test.each([['curl'], ['wget'], ['busybox']])(
    'installs gc with %s and reports whether PATH has its folder',
    async (tool) => {
      using folder = tempFolder()
      using server = await releaseServer(new Map([[NAME, PROGRAM]]))
      const { env, left } = person(folder, tool === 'busybox' ? [] : [tool])
      if (tool === 'busybox') symlinkSync(Bun.which('busybox') ?? '', folder.at('bin', 'wget'))
      const first = await install(folder, shell, signedBy(), env, '--url', server.url)
      expect(first).toEqual({
        status: 0,
        err: '',
        out: expect.stringMatching(
          /^Downloading http.*\nSHA-256 matches: .{64}\nInstalled gc 9\.9\.9 \(abc, 2026-01-02\) as .*\/home\/\.local\/bin\/gc\n.* is not in your PATH\..*\n\n {2}export PATH=".*\/home\/\.local\/bin:\$PATH"\n$/,
        ),
      })
      expect([left(), server.asked]).toEqual([['gc'], [NAME]])
      const inPath = { ...env, PATH: `${env.PATH}:${env.HOME}/.local/bin`, GC_INSTALL_URL: `${server.url}/` }
      expect((await install(folder, shell, signedBy(), inPath)).out).toContain('is in your PATH')
      expect(await runWell([`${env.HOME}/.local/bin/gc`], folder.path)).toContain('9.9.9')
    },
  )

  test('installs nothing that is forged, truncated, interrupted, missing, or for another platform', async () => {
    using folder = tempFolder()
    const { env, left } = person(folder, ['curl', 'wget'])
    const attempt = async (server: Awaited<ReturnType<typeof releaseServer>>, ...words: string[]) => {
      using _ = server
      const { status, err } = await install(folder, shell, signedBy(), env, '--url', server.url, ...words)
      expect([status, left()]).toEqual([1, []])
      return err
    }
    expect(await attempt(await releaseServer(new Map([[NAME, FORGED]])))).toContain(
      'it is damaged or forged, and nothing was installed',
    )
    expect(await attempt(await releaseServer(new Map([[NAME, PROGRAM.subarray(0, 40)]])))).toContain(
      'damaged or forged',
    )
    expect(await attempt(await releaseServer(new Map([[NAME, PROGRAM]]), /gz$/))).toContain(
      'could not be downloaded; nothing was installed',
    )
    expect(await attempt(await releaseServer(new Map()))).toContain('could not be downloaded; nothing was installed')
    expect(await attempt(await releaseServer(new Map()), '--target', 'linux-vax')).toContain(
      'this release has no gc for linux-vax',
    )
    expect(await attempt(await releaseServer(new Map()), '--speed')).toContain('unknown option --speed')
    expect((await install(folder, shell, signedBy(), env)).err).toContain(
      'there is no address to download from; add --url',
    )
  })

  test('that was cut off anywhere does nothing', async () => {
    using folder = tempFolder()
    using server = await releaseServer(new Map([[NAME, PROGRAM]]))
    const { env, left } = person(folder, ['curl'])
    const script = signedBy(undefined, server.url)
    for (const part of [0.3, 0.6, 0.9, 0.998]) await install(folder, shell, script.slice(0, script.length * part), env)
    expect([left(), server.asked]).toEqual([[], []])
  })

  test('checks the signature if minisign is installed, and refuses one of another key', async () => {
    using folder = tempFolder()
    const { env, left } = person(folder, ['curl', 'minisign'])
    await runWell(['minisign', '-GW', '-p', 'key.pub', '-s', 'key.sec'], folder.path)
    const key = readSigningKey(readFileSync(folder.at('key.sec'), 'utf8'), undefined)
    const sums = `${sha256(PROGRAM)}  ${NAME}\n`
    const files = (signed: string) =>
      new Map<string, Buffer | string>([
        [NAME, PROGRAM],
        ['SHA256SUMS', sums],
        ['SHA256SUMS.minisig', signatureOf(Buffer.from(signed), 'x', key)],
      ])
    {
      using server = await releaseServer(files('others'))
      const refused = await install(folder, shell, signedBy(key.publicKey), env, '--url', server.url)
      expect([refused.status, refused.err, left()]).toEqual([
        1,
        expect.stringContaining('signature of SHA256SUMS is not valid'),
        [],
      ])
    }
    using server = await releaseServer(files(sums))
    const installed = await install(folder, shell, signedBy(key.publicKey), env, '--url', server.url)
    expect(installed.out).toContain('The signature of SHA256SUMS is valid.')
    expect(left()).toEqual(['gc'])
  })
})

test('the installer says what is missing to download, to check and to run', async () => {
  using folder = tempFolder()
  const { env, left } = person(folder, [])
  expect((await install(folder, ['dash'], signedBy(), env, '--url', 'http://127.0.0.1:9/v9')).err).toContain(
    'downloading needs curl or wget',
  )
  using unchecked = tempFolder()
  const without = person(unchecked, ['curl'])
  rmSync(unchecked.at('bin', 'sha256sum'))
  expect((await install(unchecked, ['dash'], signedBy(), without.env, '--url', 'http://127.0.0.1:9/v9')).err).toContain(
    'checking the download needs sha256sum, shasum or openssl',
  )
  using broken = tempFolder()
  const program = gzipSync('#!/bin/sh\nexit 3\n')
  using server = await releaseServer(new Map([[NAME, program]]))
  const someone = person(broken, ['curl'])
  const script = installer({
    version: '9.9.9',
    publicKey: undefined,
    url: server.url,
    checksums: new Map([['linux-x64', sha256(program)]]),
  })
  expect((await install(broken, ['dash'], script, someone.env)).err).toContain(
    'gc does not start on this machine; nothing was installed',
  )
  expect([left(), someone.left()]).toEqual([[], []])
})
