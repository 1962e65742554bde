import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { signatureProblems } from '../../scripts/release/mach-o.ts'
import { sha256 } from '../../scripts/release/sha256.ts'
import { readSigningKey, signatureOf } from '../../scripts/release/signing-key.ts'
import { tempFolder } from '../support/folder.ts'
import { emptyMachine, onMachine } from './empty-machine.ts'
import { npmRegistry } from './npm-registry.ts'
import { checkout, read, release, releaseServer, run, runWell } from './release-build.ts'

const folder = tempFolder()
const out = folder.at('out')
const program = folder.at('gc')
let source = ''

beforeAll(async () => {
  source = await checkout(folder, 'source')
  await runWell(['minisign', '-GWf', '-p', 'key.pub', '-s', 'key.sec'], folder.path)
  const { status, err } = await release(
    source,
    '--key',
    folder.at('key.sec'),
    '--target',
    'linux-x64,darwin-arm64',
    '--out',
    out,
  )
  expect([status, err]).toEqual([0, ''])
  const packed = readdirSync(out).find((name) => name.endsWith('linux-x64.zst')) ?? ''
  writeFileSync(program, Bun.zstdDecompressSync(readFileSync(join(out, packed))), { mode: 0o755 })
}, 300_000)
afterAll(() => folder[Symbol.dispose]())

test('a release has the programs, their sums and signatures, licenses, notes, manuals and its parts', async () => {
  const { version } = JSON.parse(read(source, 'package.json'))
  const names = readdirSync(out)
  for (const target of ['linux-x64', 'darwin-arm64'])
    for (const end of ['gz', 'zst']) expect(names).toContain(`gc-${version}-${target}.${end}`)
  await runWell(['sha256sum', '--check', '--strict', '--quiet', 'SHA256SUMS'], out)
  const sums = read(out, 'SHA256SUMS').trim().split('\n')
  const all = [...names, ...readdirSync(join(out, 'npm')).map((name) => `npm/${name}`)]
  expect(sums.map((line) => line.slice(66))).toEqual(
    all.filter((name) => !/^(SHA256SUMS.*|.*\.minisig|minisign\.pub|npm)$/.test(name)).sort(),
  )
  for (const name of ['SHA256SUMS', 'release.json'])
    await runWell(['minisign', '-Vm', name, '-p', folder.at('key.pub')], out)
  expect(read(out, 'minisign.pub').split('\n')[1]).toBe(read(folder.path, 'key.pub').split('\n')[1])
  const bill = JSON.parse(read(out, `gc-${version}.cdx.json`))
  expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { name: 'gc' } } })
  expect(bill.components.map((each: { name: string }) => each.name)).toContain('bun')
  expect(read(out, 'LICENSES.txt')).toContain('Apache License')
  expect(read(out, 'RELEASE_NOTES.md')).toContain('\n### Added\n')
  const shell = await runWell(['tar', '-tzf', `gc-${version}-shell.tar.gz`], out)
  expect(shell.split('\n')).toContainValues(['completions/_gc', 'man/man1/gc.1', 'man/man1/gc-bead-list.1'])
})

test('the program of a release reports its version, commit, date and key', async () => {
  const { version, commit } = JSON.parse(read(out, 'release.json'))
  expect(await runWell([program, '--version'], folder.path)).toBe(`gc ${version} (${commit}, 2026-01-02)\n`)
  const long = JSON.parse(await runWell([program, 'version', '--long', '--json'], folder.path))
  expect(long).toMatchObject({ target: 'linux-x64', public_key: read(folder.path, 'key.pub').split('\n')[1] })
  expect(await runWell([program, 'version', '--licenses'], folder.path)).toBe(`${read(out, 'LICENSES.txt')}\n`)
})

test('the program for macOS on arm64 has a valid ad-hoc signature, which a changed byte breaks', () => {
  const name = readdirSync(out).find((each) => each.endsWith('darwin-arm64.gz')) ?? ''
  const program = gunzipSync(readFileSync(join(out, name)))
  expect(signatureProblems(program)).toEqual([])
  const at = 50_000_000
  program[at] = (program[at] ?? 0) ^ 1
  expect(signatureProblems(program)).toEqual([expect.stringMatching(/^page \d+ is not the one signed$/)])
  expect(signatureProblems(program.subarray(0, -16))).not.toEqual([])
  expect(signatureProblems(Buffer.from('text'))).toEqual(['it is not a 64-bit Mach-O program'])
})

test('anyone who has the public key gets the same bytes from the same commit in another folder', async () => {
  const again = await checkout(folder, 'a-folder-with-another-name')
  const unsigned = folder.at('unsigned')
  const made = await release(again, '--public-key', folder.at('key.pub'), '--target', 'linux-x64', '--out', unsigned)
  expect([made.status, made.err]).toEqual([0, ''])
  expect(made.out).toEndWith('The release is unsigned: --key signs it.\n')
  const sums = (path: string) => read(path, 'SHA256SUMS').trim().split('\n')
  // What lists the platforms differs, since this release has fewer of them.
  const same = sums(unsigned).filter((line) => !/ (release\.json|install\.sh|npm\/gc-\d.*)$/.test(line))
  expect(same.length).toBe(8)
  expect(sums(out)).toContainValues(same)
  rmSync(again, { recursive: true })
}, 300_000)

test('on a machine with git and a shell the installer brings gc, and the tour of the README ends well', async () => {
  const root = folder.at('root')
  await emptyMachine(root)
  for (const name of readdirSync(out).filter((each) => /linux-x64\.gz$|^install\.sh$/.test(each)))
    copyFileSync(join(out, name), join(root, 'release', name))
  const [, tour = ''] = /## A two-minute tour\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(read(source, 'README.md')) ?? []
  writeFileSync(join(root, 'tour.sh'), tour)
  const {
    status,
    out: printed,
    err,
  } = await onMachine(
    root,
    `httpd -p 127.0.0.1:8000 -h /release
    sh /release/install.sh --url http://127.0.0.1:8000
    export PATH="/root/.local/bin:$PATH"
    gc version
    sh -e /tour.sh
    gc down`,
  )
  expect([status, err]).toEqual([0, ''])
  expect(printed).toMatch(
    /Installed gc .* as \/root\/\.local\/bin\/gc\n[\s\S]*\ngc \d[\s\S]*\nHello from my-project\/scribe\n/,
  )
}, 120_000)

test('npx and npm i -g install the package of this platform from a registry', async () => {
  using registry = await npmRegistry(join(out, 'npm'))
  mkdirSync(folder.at('npm-home'))
  const env = {
    HOME: folder.at('npm-home'),
    npm_config_registry: registry.url,
    npm_config_prefix: folder.at('npm-prefix'),
    npm_config_cache: folder.at('npm-cache'),
  }
  const line = await runWell([program, 'version'], folder.path)
  await runWell(['npm', 'install', '--global', '--no-audit', '--no-fund', 'gc'], folder.path, env)
  expect(readdirSync(folder.at('npm-prefix', 'lib/node_modules/gc/node_modules'))).toEqual(['gc-linux-x64'])
  expect(await runWell([folder.at('npm-prefix', 'bin/gc'), 'version'], folder.path, env)).toBe(line)
  const wrong = await run([folder.at('npm-prefix', 'bin/gc'), 'no-such-command'], folder.path, env)
  expect([wrong.status, wrong.err]).toEqual([2, expect.stringContaining('no-such-command')])
  expect(await runWell(['npx', '--yes', 'gc', 'version'], folder.at('npm-home'), env)).toBe(line)
  rmSync(folder.at('npm-prefix', 'lib/node_modules/gc/node_modules'), { recursive: true })
  expect((await run([folder.at('npm-prefix', 'bin/gc')], folder.path, env)).err).toContain(
    'gc-linux-x64 is not installed',
  )
}, 120_000)

test('the Debian package installs gc with its unit, manuals and completions, and its removal leaves nothing', async () => {
  const root = folder.at('debian')
  mkdirSync(join(root, 'var/lib/dpkg/updates'), { recursive: true })
  mkdirSync(join(root, 'var/lib/dpkg/info'))
  writeFileSync(join(root, 'var/lib/dpkg/status'), '')
  const deb = readdirSync(out).find((name) => name.endsWith('_amd64.deb')) ?? ''
  expect(await runWell(['dpkg-deb', '--field', deb, 'Package', 'Architecture'], out)).toBe(
    'Package: gc-supervisor\nArchitecture: amd64\n',
  )
  const dpkg = (...words: string[]) => runWell(['dpkg', `--root=${root}`, '--force-depends,not-root', ...words], out)
  await dpkg('--install', deb)
  for (const file of ['lib/systemd/user/gc.service', 'share/man/man1/gc.1.gz', 'share/bash-completion/completions/gc'])
    expect([file, existsSync(join(root, 'usr', file))]).toEqual([file, true])
  expect(await runWell([join(root, 'usr/bin/gc'), 'version'], root)).toBe(await runWell([program, 'version'], root))
  const unit = folder.at('gc.service')
  const installed = readFileSync(join(root, 'usr/lib/systemd/user/gc.service'), 'utf8')
  writeFileSync(unit, installed.replace('=/usr/bin/gc', `=${join(root, 'usr/bin/gc')}`))
  const session = { XDG_RUNTIME_DIR: folder.path }
  expect(await runWell(['systemd-analyze', '--user', '--man=no', 'verify', unit], root, session)).toBe('')
  await dpkg('--purge', 'gc-supervisor')
  expect(readdirSync(root)).toEqual(['var'])
}, 60_000)

describe('gc upgrade', () => {
  const NEWER = '0123456789ab'
  let packed: Buffer = Buffer.alloc(0)
  let file = {}
  const newer = folder.at('newer')
  const key = () => readSigningKey(read(folder.path, 'key.sec'), undefined)

  beforeAll(async () => {
    const words = ['--target', 'linux-x64', '--outdir', newer, '--commit', NEWER, '--public-key', folder.at('key.pub')]
    await runWell([process.execPath, 'scripts/build.ts', ...words], source)
    const program = readFileSync(join(newer, 'gc-linux-x64'))
    packed = Bun.zstdCompressSync(program, { level: 1 })
    const [size, hash] = [packed.length, sha256(packed)]
    file = { target: 'linux-x64', name: 'gc.zst', size, sha256: hash, program_sha256: sha256(program) }
  }, 120_000)

  /** An index of one program that was packed, signed unless \`signature\` is given. */
  function index(changes: object = {}, signature?: string): Map<string, Buffer | string> {
    const { version } = JSON.parse(read(source, 'package.json'))
    const offer = { schema: 1, version, commit: NEWER, date: '2026-01-02T03:04:05Z', files: [file], ...changes }
    const text = JSON.stringify(offer)
    const signed = signature ?? signatureOf(Buffer.from(text), 'gc', key())
    return new Map<string, Buffer | string>([
      ['release.json', text],
      ['release.json.minisig', signed],
      ['gc.zst', packed],
    ])
  }

  /** A person with a gc in a folder of its own, and a home whose file names an index. */
  function person(name: string, program: string) {
    mkdirSync(folder.at(name, 'bin'), { recursive: true })
    copyFileSync(program, folder.at(name, 'bin', 'gc'))
    const env = { HOME: folder.at(name), GC_HOME: folder.at(name) }
    const gc = (...words: string[]) => run([folder.at(name, 'bin', 'gc'), ...words], folder.path, env)
    const configure = (url: string) =>
      writeFileSync(folder.at(name, 'supervisor.toml'), `[upgrade]\nindex = "${url}/release.json"\n`)
    return { gc, configure, files: () => readdirSync(folder.at(name, 'bin')).sort() }
  }

  test('of a signed gc contacts the configured index when asked to, upgrades to what its key signed, and goes back', async () => {
    const { gc, configure, files } = person('signed', program)
    const before = (await gc('version')).out
    expect((await gc('upgrade')).err).toContain('gc knows no release index; add --index <url>')
    {
      using server = await releaseServer(index())
      configure(server.url)
      for (const words of [['version'], ['doctor'], ['upgrade', '--from', '/none']]) await gc(...words)
      expect(server.asked).toEqual([])
      expect((await gc('upgrade', '--check')).out).toMatch(
        /^gc \S+ \(0123456789ab, 2026-01-02\) is available: run `gc upgrade`\.\n$/,
      )
      expect(server.asked).toEqual(['release.json', 'release.json.minisig'])
    }
    const attempts: [string, Map<string, Buffer | string>, boolean?][] = [
      ['which is older than this gc; nothing was changed', index({ version: '0.0.9' })],
      ['which is older than this gc; nothing was changed', index({ date: '2025-12-31T00:00:00Z' })],
      ['release.json is not valid; nothing was changed', index({}, signatureOf(Buffer.from('x'), 'gc', key()))],
      ['has no file for linux-x64; nothing was changed', index({ files: [] })],
      ['instead of gc 9.0.0; nothing was changed', index({ version: '9.0.0' })],
      ['could not be downloaded', index(), true],
      ['is damaged or forged', new Map([...index(), ['gc.zst', Buffer.from('x')]])],
    ]
    for (const [sentence, offered, isCut] of attempts) {
      using server = await releaseServer(offered, isCut ? /zst$/ : undefined)
      configure(server.url)
      const { status, err } = await gc('upgrade')
      expect([status, err, files()]).toEqual([1, expect.stringContaining(sentence), ['gc']])
    }
    expect((await gc('version')).out).toBe(before)
    using server = await releaseServer(index())
    configure(server.url)
    const upgraded = await gc('upgrade')
    expect([upgraded.status, upgraded.err, files()]).toEqual([0, '', ['gc', 'gc.previous']])
    expect((await gc('version')).out).toContain(`(${NEWER}, `)
    expect((await gc('upgrade')).out).toContain('is the newest release. Nothing was changed.')
    expect((await gc('upgrade', '--from', folder.at('signed', 'bin', 'gc.previous'))).status).toBe(0)
    expect((await gc('version')).out).toBe(before)
  }, 120_000)

  test('of an unsigned gc needs the checksum of the file', async () => {
    const { gc, files } = person('unsigned-gc', process.env.GC_BINARY ?? '')
    using server = await releaseServer(index({ date: '2099-01-01' }, 'none'))
    const words = ['upgrade', '--index', `${server.url}/release.json`]
    expect((await gc(...words)).err).toContain('this gc is unsigned and cannot verify releases; add --sha256')
    expect(server.asked).toEqual([])
    expect((await gc(...words, '--check')).out).toEndWith('This gc is unsigned, so the index was not verified.\n')
    const wrong = await gc(...words, '--sha256', '0'.repeat(64))
    expect([wrong.status, wrong.err, files()]).toEqual([
      1,
      expect.stringContaining('has no file with that SHA-256'),
      ['gc'],
    ])
    const upgraded = await gc(...words, '--sha256', sha256(packed))
    expect([upgraded.status, upgraded.err]).toEqual([0, ''])
    expect((await gc('version')).out).toContain(`(${NEWER}, `)
  }, 120_000)
})

test('nothing is released from a tree with changes, into a folder with files, or with a key that is none', async () => {
  const elsewhere = ['--target', 'linux-x64', '--out', folder.at('none')]
  writeFileSync(join(source, 'stray.txt'), '')
  expect((await release(source, ...elsewhere)).err).toContain('a release is built from a commit:\n?? stray.txt\n')
  rmSync(join(source, 'stray.txt'))
  expect((await release(source, '--target', 'linux-x64', '--out', out)).err).toContain('is not empty')
  expect((await release(source, '--key', folder.at('key.pub'), ...elsewhere)).err).toContain(
    'not a secret key of minisign',
  )
  expect((await release(source, '--target', 'vax')).err).toContain('unknown target vax')
  expect(await run(['ls', 'none'], folder.path)).toMatchObject({ out: '' })
})
