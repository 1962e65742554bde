import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { $, type BunPlugin, Glob } from 'bun'
import { parsePublicKey } from '../cli/upgrade/minisign.ts'
import bun from '../node_modules/bun/package.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import apache from './licenses/Apache-2.0.txt' with { type: 'text' }
import mit from './licenses/MIT.txt' with { type: 'text' }

export const ROOT = resolve(import.meta.dir, '..')

/** The platforms that gc is built for, and the npm package with the Bun of each. */
export const TARGETS = {
  'linux-x64': '@oven/bun-linux-x64',
  'linux-x64-musl': '@oven/bun-linux-x64-musl',
  'linux-arm64': '@oven/bun-linux-aarch64',
  'linux-arm64-musl': '@oven/bun-linux-aarch64-musl',
  'darwin-arm64': '@oven/bun-darwin-aarch64',
  'darwin-x64': '@oven/bun-darwin-x64',
  'windows-x64': '@oven/bun-windows-x64',
} as const

export type Target = keyof typeof TARGETS

export const isTarget = (name: string): name is Target => Object.hasOwn(TARGETS, name)

/** The targets of options such as `linux-x64,darwin-arm64` or `all`. */
export function parseTargets(options: readonly string[]): Target[] {
  const names = options.flatMap((each) => (each === 'all' ? Object.keys(TARGETS) : each.split(',')))
  const unknown = names.filter((name) => !isTarget(name))
  if (unknown.length > 0)
    throw new Error(`unknown target ${unknown.join(', ')}; choose from ${Object.keys(TARGETS).join(', ')}, all`)
  return [...new Set(names.filter(isTarget))]
}

export const programName = (target: string): string => (target.startsWith('win') ? 'gc.exe' : 'gc')

/** The release that a build belongs to. */
export interface Release {
  readonly commit: string
  /** The day of the commit, such as 2026-11-28; undefined outside a repository. */
  readonly date: string | undefined
  /** The minisign key that the build verifies other releases with. */
  readonly publicKey?: string | undefined
  /** The address of the release index that the build upgrades from. */
  readonly index?: string | undefined
}

/** Ink loads React's developer tools only on request; the binary has an empty module in their place. */
const withoutDevtools: BunPlugin = {
  name: 'without-devtools',
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: 'empty' }))
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export default {}', loader: 'js' }))
  },
}

/** What commander needs of `node:util` the runtime has itself; that module takes a tenth of the time of a short command to load. */
const withoutUtil: BunPlugin = {
  name: 'without-util',
  setup(build) {
    build.onResolve({ filter: /^node:util$/ }, ({ path, importer }) =>
      importer.includes('/node_modules/commander/') ? { path, namespace: 'strip' } : undefined,
    )
    build.onLoad({ filter: /.*/, namespace: 'strip' }, () => ({
      contents: 'export const stripVTControlCharacters = (text) => Bun.stripANSI(text)',
      loader: 'js',
    }))
  },
}

/** Sources to build: the program and its workers. */
export function sources() {
  const workers = [...new Glob('{src,tui}/**/*.worker.ts').scanSync(ROOT)].map((path) => join(ROOT, path))
  return { entrypoints: [join(ROOT, 'cli/main.ts'), ...workers], root: ROOT, plugins: [withoutDevtools, withoutUtil] }
}

/** The licenses of what ends up in the program, found by bundling it once. */
export async function collectNotices(): Promise<string> {
  const bundled = await Bun.build({ ...sources(), target: 'bun', format: 'esm', metafile: true })
  const packages = bundledPackages(ROOT, Object.keys(bundled.metafile?.inputs ?? {}))
  return formatNotices(await Bun.file(join(ROOT, 'LICENSE')).text(), packages)
}

/** Builds one target. Only the file's name ends up in the program, so equal sources and inputs give equal bytes. */
export async function compile(target: Target | undefined, outfile: string, release: Release): Promise<void> {
  const { commit, date, publicKey, index } = release
  const built = await Bun.build({
    ...sources(),
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(target && { target: `bun-${target}` as const, executablePath: await baseProgram(target) }),
    },
    format: 'esm',
    bytecode: true,
    minify: true,
    // What a process does not use it does not load: the session host has no use for the server, nor that for the dashboard.
    splitting: true,
    define: {
      GC_VERSION: JSON.stringify(manifest.version),
      GC_COMMIT: JSON.stringify(commit),
      GC_NOTICES: JSON.stringify(await collectNotices()),
      ...(date !== undefined && { GC_DATE: JSON.stringify(date) }),
      ...(target !== undefined && { GC_TARGET: JSON.stringify(target) }),
      ...(publicKey !== undefined && { GC_PUBLIC_KEY: JSON.stringify(publicKey) }),
      ...(index !== undefined && { GC_INDEX: JSON.stringify(index) }),
      'process.env.NODE_ENV': '"production"',
    },
  })
  if (!built.success) throw new AggregateError(built.logs, `gc did not build for ${target ?? 'this machine'}`)
}

/** The Bun that a program of this platform begins with, of the version and content that package-lock.json names. */
async function baseProgram(target: Target): Promise<string> {
  const name = TARGETS[target]
  const file = target.startsWith('win') ? 'bun.exe' : 'bun'
  const installed = join(ROOT, 'node_modules', name, 'bin', file)
  if (existsSync(installed)) return installed
  const { version, integrity } = lockedPackage(name)
  const folder = join(ROOT, 'node_modules/.cache/gc-bases', `${name.replace('/', '+')}-${version}`)
  const base = join(folder, 'package/bin', file)
  if (existsSync(base)) return base
  const parts = join(dirname(folder), `${process.pid}-${target}`)
  try {
    mkdirSync(parts, { recursive: true })
    const packed = await $`npm pack --silent --pack-destination ${parts} ${name}@${version}`.cwd(parts).quiet()
    const archive = join(parts, packed.text().trim())
    const found = `sha512-${createHash('sha512').update(readFileSync(archive)).digest('base64')}`
    if (found !== integrity) throw new Error(`${name} ${version} differs from package-lock.json; nothing was built`)
    await $`tar -xzf ${archive}`.cwd(parts).quiet()
    rmSync(archive)
    // Another build may have been first.
    if (!existsSync(base)) renameSync(parts, folder)
  } finally {
    rmSync(parts, { recursive: true, force: true })
  }
  return base
}

function lockedPackage(name: string): { version: string; integrity: string } {
  const lock: { packages: Record<string, { version: string; integrity: string } | undefined> } = JSON.parse(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  )
  const found = lock.packages[`node_modules/${name}`]
  if (!found) throw new Error(`package-lock.json has no ${name}; run npm install`)
  return found
}

/** The base64 line of a public key file of minisign. */
export function readPublicKey(file: string): string {
  const text = readFileSync(file, 'utf8')
  if (!parsePublicKey(text)) throw new Error(`${file} is not a public key of minisign`)
  return text.trim().split(/\r?\n/).at(-1) ?? ''
}

/** The commit that is built, marked with `+` when the tree has changes, and its day; `unknown` outside a repository. */
export async function commitHere(): Promise<{ commit: string; date: string | undefined }> {
  const git = (...words: string[]) =>
    $`git ${words}`
      .cwd(ROOT)
      .env({ ...process.env, TZ: 'UTC' })
      .quiet()
      .nothrow()
  const head = await git('log', '-1', '--abbrev=12', '--date=format-local:%Y-%m-%d', '--format=%h %cd')
  if (head.exitCode !== 0) return { commit: 'unknown', date: undefined }
  const changes = await git('status', '--porcelain', '--untracked-files=no')
  const [commit = '', date] = head.text().trim().split(' ')
  return { commit: commit + (changes.text().trim() ? '+' : ''), date }
}

/** A package whose code is in a bundle. */
interface BundledPackage {
  readonly name: string
  readonly version: string
  /** Its license and notices, whole. */
  readonly text: string
}

interface PackageFile {
  name: string
  version: string
  license?: string
  author?: string | { name?: string }
}

/** The texts of licenses that some packages name and do not bring. */
const TEXTS: Readonly<Record<string, string>> = { MIT: mit, 'Apache-2.0': apache }
const LICENSE_FILE = /^(licen[cs]e|copying|notice)/i
const PACKAGE_FOLDER = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//
const RULE = '='.repeat(80)

/** The packages among the files of a bundle, in order of their names; throws when one does not say how it is licensed. */
function bundledPackages(root: string, files: Iterable<string>): BundledPackage[] {
  const folders = new Set([...files].flatMap((file) => PACKAGE_FOLDER.exec(file)?.[1] ?? []))
  const packages = [...folders].map((folder) => readPackage(resolve(root, folder)))
  const byKey = new Map(packages.map((each) => [`${each.name} ${each.version}`, each]))
  return [...byKey.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** The text of `gc version --licenses`. */
function formatNotices(license: string, packages: readonly BundledPackage[]): string {
  const runtime = { name: 'bun', version: bun.version, text: RUNTIME }
  const sections = [runtime, ...packages].map(
    ({ name, version, text }) => `${RULE}\n${name} ${version}\n\n${text.trim()}\n`,
  )
  return `${license.trim()}\n\nThis program contains the following software of others.\n\n${sections.join('\n')}`
}

/** The runtime that a compiled program begins with has no license file in its package. */
const RUNTIME = `Copyright (c) Oven

${mit.trim()}

bun contains software of others: JavaScriptCore and WebKit under LGPL-2.1 among them.
https://bun.com/docs/project/license lists all of it, and how to link it with a changed JavaScriptCore.`

function readPackage(folder: string): BundledPackage {
  const file: PackageFile = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const texts = readdirSync(folder)
    .filter((name) => LICENSE_FILE.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').trim())
  return { name: file.name, version: file.version, text: texts.join('\n\n') || namedLicense(file, folder) }
}

function namedLicense({ name, license = '', author }: PackageFile, folder: string): string {
  const text = TEXTS[license]
  if (!text)
    throw new Error(`${name} in ${dirname(folder)} has no license file, and its license "${license}" is not known`)
  const holder = (typeof author === 'string' ? author : author?.name) ?? `the authors of ${name}`
  return `Copyright (c) ${holder}\n\n${text.trim()}`
}
