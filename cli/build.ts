import { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { $, type BunPlugin, Glob } from 'bun'
import bun from '../node_modules/bun/package.json' with { type: 'json' }
import manifest from '../package.json' with { type: 'json' }
import apache from './licenses/Apache-2.0.txt' with { type: 'text' }
import mit from './licenses/MIT.txt' with { type: 'text' }

const ROOT = resolve(import.meta.dir, '..')
const TARGETS = ['linux-x64', 'linux-arm64', 'darwin-arm64', 'darwin-x64', 'windows-x64'] as const

type Target = (typeof TARGETS)[number]

/** Ink loads React's developer tools only on request; the binary has an empty module in their place. */
const withoutDevtools: BunPlugin = {
  name: 'without-devtools',
  setup(build) {
    build.onResolve({ filter: /^react-devtools-core$/ }, ({ path }) => ({ path, namespace: 'empty' }))
    build.onLoad({ filter: /.*/, namespace: 'empty' }, () => ({ contents: 'export default {}', loader: 'js' }))
  },
}

/** What is built: the program and its workers. */
function sources() {
  const workers = [...new Glob('src/**/*.worker.ts').scanSync(ROOT)].map((path) => join(ROOT, path))
  return { entrypoints: [join(ROOT, 'cli/main.ts'), ...workers], root: ROOT, plugins: [withoutDevtools] }
}

/** The licenses of what ends up in the program, found by bundling it once. */
async function collectNotices(): Promise<string> {
  const bundled = await Bun.build({ ...sources(), target: 'bun', format: 'esm', metafile: true })
  const packages = bundledPackages(ROOT, Object.keys(bundled.metafile?.inputs ?? {}))
  return formatNotices(await Bun.file(join(ROOT, 'LICENSE')).text(), packages)
}

async function build(target: Target | undefined, outfile: string, commit: string): Promise<void> {
  const built = await Bun.build({
    ...sources(),
    compile: {
      outfile,
      autoloadDotenv: false,
      autoloadBunfig: false,
      ...(target && { target: `bun-${target}` as const }),
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
      'process.env.NODE_ENV': '"production"',
    },
  })
  if (!built.success) throw new AggregateError(built.logs, `gc did not build for ${target ?? 'this machine'}`)
}

/** The commit that is built, marked with `+` when the tree has changes; `unknown` outside a repository. */
async function commitHere(): Promise<string> {
  const head = await $`git rev-parse --short=12 HEAD`.cwd(ROOT).quiet().nothrow()
  if (head.exitCode !== 0) return 'unknown'
  const changes = await $`git status --porcelain --untracked-files=no`.cwd(ROOT).quiet().nothrow()
  return head.text().trim() + (changes.text().trim() ? '+' : '')
}

/** Runs the built binary and lets it serve, since it may build and still not start. */
async function smoke(binary: string): Promise<void> {
  const { version } = await $`${binary} version --json`.quiet().json()
  if (version !== manifest.version) throw new Error(`${binary} says it is version ${version}, not ${manifest.version}`)
  const home = mkdtempSync(join(tmpdir(), 'gc-build-'))
  const env = { ...process.env, GC_HOME: home, GC_URL: '', GC_TOKEN: '', GC_SESSION_ID: '' }
  const server = Bun.spawn([binary, 'serve', '--port', '0'], {
    env,
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: 20_000,
  })
  const log = server.stderr.text()
  try {
    const response = await server.stdout.getReader().read()
    if (response.done) throw new Error(`${binary} serve ended at once`)
    await $`${binary} city list --json`.env(env).quiet()
    await $`${binary} down`.env(env).quiet()
    if ((await server.exited) !== 0) throw new Error(`${binary} serve did not end well`)
  } catch (error) {
    server.kill()
    throw new Error(`${binary} does not serve:\n${await log}`, { cause: error })
  } finally {
    server.kill()
    rmSync(home, { recursive: true, force: true })
  }
}

const native = process.platform === 'win32' ? 'gc.exe' : 'gc'

/** Builds for this machine; the new file replaces the old one atomically, also while that runs. */
async function buildNative(outdir: string, commit: string): Promise<string> {
  const fresh = join(outdir, `building-${process.pid}-${native}`)
  try {
    await build(undefined, fresh, commit)
    await smoke(fresh)
    renameSync(fresh, join(outdir, native))
    return native
  } finally {
    rmSync(fresh, { force: true })
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', multiple: true },
      outdir: { type: 'string', default: 'dist' },
      // The commit to record outside a repository.
      commit: { type: 'string' },
    },
  })
  const outdir = resolve(ROOT, values.outdir)
  mkdirSync(outdir, { recursive: true })
  const wanted = (values.target ?? []).flatMap((names) => (names === 'all' ? TARGETS : names.split(',')))
  const unknown = wanted.filter((name) => !TARGETS.some((target) => target === name))
  if (unknown.length > 0)
    throw new Error(`there is no target ${unknown.join(', ')}; there are ${TARGETS.join(', ')}, all`)
  const commit = values.commit ?? (await commitHere())
  const built: string[] = []
  for (const target of TARGETS.filter((each) => wanted.includes(each))) {
    await build(target, join(outdir, `gc-${target}`), commit)
    built.push(`gc-${target}`)
  }
  if (wanted.length === 0) built.push(await buildNative(outdir, commit))
  process.stdout.write(`built ${built.map((name) => join(values.outdir, name)).join(', ')}\n`)
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

try {
  await main()
} catch (error) {
  const reasons = error instanceof AggregateError ? error.errors.map(String) : []
  process.stderr.write(`${[error instanceof Error ? error.message : String(error), ...reasons].join('\n')}\n`)
  process.exitCode = 1
}
