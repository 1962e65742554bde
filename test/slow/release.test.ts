import { afterAll, beforeAll, expect, test } from 'bun:test'
import { chmodSync, copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { signatureProblems } from '../../scripts/release/mach-o.ts'
import { tempFolder } from '../support/folder.ts'
import { emptyMachine, onMachine } from './empty-machine.ts'
import { checkout, read, release, run, runWell } from './release-build.ts'

const folder = tempFolder()
const out = folder.at('out')
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
}, 300_000)
afterAll(() => folder[Symbol.dispose]())

test('a release has the programs, their sums and signatures, licenses, notes, manuals and its parts', async () => {
  const { version } = JSON.parse(read(source, 'package.json'))
  const names = readdirSync(out)
  for (const target of ['linux-x64', 'darwin-arm64'])
    for (const end of ['gz', 'zst']) expect(names).toContain(`gc-${version}-${target}.${end}`)
  await runWell(['sha256sum', '--check', '--strict', '--quiet', 'SHA256SUMS'], out)
  const sums = read(out, 'SHA256SUMS')
    .trim()
    .split('\n')
    .map((line) => line.slice(66))
  expect(sums).toEqual(names.filter((name) => !/^SHA256SUMS|minisig$|minisign.pub$/.test(name)).sort())
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
  const { version, commit, files } = JSON.parse(read(out, 'release.json'))
  const [zstd] = files
  const program = folder.at('gc')
  writeFileSync(program, Bun.zstdDecompressSync(readFileSync(join(out, zstd.name))))
  chmodSync(program, 0o755)
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

test('whoever has the public key gets the same bytes from the same commit in another folder', async () => {
  const again = await checkout(folder, 'a-folder-with-another-name')
  const unsigned = folder.at('unsigned')
  const made = await release(again, '--public-key', folder.at('key.pub'), '--target', 'linux-x64', '--out', unsigned)
  expect([made.status, made.err]).toEqual([0, ''])
  expect(made.out).toEndWith('The release is unsigned: --key signs it.\n')
  const same = readdirSync(unsigned).filter((name) => !/^(SHA256SUMS|release\.json|install\.sh)$/.test(name))
  expect(same.length).toBe(6)
  const of = (path: string) => same.map((name) => [name, Bun.SHA256.hash(readFileSync(join(path, name)), 'hex')])
  expect(of(unsigned)).toEqual(of(out))
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
