import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, extname, join, relative, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { gzipSync } from 'node:zlib'
import { $ } from 'bun'
import bun from '../../node_modules/bun/package.json' with { type: 'json' }
import manifest from '../../package.json' with { type: 'json' }
import {
  collectNotices,
  commitHere,
  compile,
  parseTargets,
  programName,
  ROOT,
  readPublicKey,
  type Target,
} from '../compile.ts'
import { type ArchiveFile, tar } from './archive.ts'
import { installer } from './installer.ts'
import { signatureProblems } from './mach-o.ts'
import { type PackagedRelease, writeDeb, writeFormula, writeNpmMain, writeNpmPlatform } from './packages.ts'
import { sha256 } from './sha256.ts'
import { readSigningKey, type SigningKey, signatureOf } from './signing-key.ts'

/** The inputs of a release. */
interface Inputs {
  readonly out: string
  readonly targets: readonly Target[]
  readonly key: SigningKey | undefined
  readonly publicKey: string | undefined
  readonly index: string | undefined
  /** The address of the files; empty if the installers ask for it. */
  readonly url: string
  /** The name of the npm package. */
  readonly npmName: string
  /** Compresses as little as possible, to try the command. */
  readonly quick: boolean
}

/** A program of a release, compressed in two ways. */
interface Built {
  readonly target: Target
  readonly programBytes: number
  readonly programSha256: string
  readonly gzip: ReleaseFile
  readonly zstd: ReleaseFile
}

interface ReleaseFile {
  readonly name: string
  readonly size: number
  readonly sha256: string
}

/** Inputs and output folder of a release. */
interface Making {
  readonly folder: string
  readonly version: string
  readonly commit: string
  readonly date: Date
}

/** Beyond these levels a program takes ten times as long and is a twelfth smaller at most. */
const GZIP = { usual: 6, quick: 0 }
const ZSTD = { usual: 12, quick: 1 }
const VERSION = manifest.version

async function main(): Promise<void> {
  const inputs = readInputs()
  await refuseChanges()
  if (existsSync(inputs.out) && readdirSync(inputs.out).length > 0)
    throw new Error(`${inputs.out} is not empty; remove it or choose another folder with --out`)
  mkdirSync(dirname(inputs.out), { recursive: true })
  const folder = mkdtempSync(join(dirname(inputs.out), '.release-'))
  try {
    await makeRelease(folder, inputs)
    rmSync(inputs.out, { recursive: true, force: true })
    chmodSync(folder, 0o755)
    renameSync(folder, inputs.out)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  const names = readdirSync(inputs.out)
  process.stdout.write(`${names.length} files are in ${inputs.out}.\n`)
  if (!inputs.key) process.stdout.write('The release is unsigned: --key signs it.\n')
}

function readInputs(): Inputs {
  const { values } = parseArgs({
    options: {
      key: { type: 'string' },
      'public-key': { type: 'string' },
      index: { type: 'string' },
      url: { type: 'string', default: '' },
      out: { type: 'string', default: 'dist/release' },
      target: { type: 'string', multiple: true, default: ['all'] },
      'npm-name': { type: 'string', default: 'gc' },
      quick: { type: 'boolean', default: false },
    },
  })
  const { key: file, 'public-key': publicFile } = values
  const key =
    file === undefined ? undefined : readSigningKey(readFileSync(file, 'utf8'), process.env.GC_RELEASE_PASSWORD)
  const publicKey = publicFile === undefined ? key?.publicKey : readPublicKey(publicFile)
  if (key && publicKey !== key.publicKey) throw new Error('--public-key is not the public half of --key')
  return {
    out: resolve(values.out),
    targets: parseTargets(values.target),
    key,
    publicKey,
    index: values.index,
    url: values.url.replace(/\/+$/, ''),
    npmName: values['npm-name'],
    quick: values.quick,
  }
}

/** A release names its commit, so nothing else may be in it. */
async function refuseChanges(): Promise<void> {
  const changes = await $`git status --porcelain`.cwd(ROOT).quiet().nothrow()
  if (changes.exitCode !== 0) throw new Error('a release is built in a git checkout; there is none here')
  const files = changes.text().trim()
  if (files) throw new Error(`commit or remove these changes first; a release is built from a commit:\n${files}`)
}

async function makeRelease(folder: string, inputs: Inputs): Promise<void> {
  const { commit, date: day } = await commitHere()
  const time = await $`git log -1 --format=%ct`.cwd(ROOT).quiet()
  const making: Making = { folder, version: VERSION, commit, date: new Date(Number(time.text()) * 1000) }
  const notices = await collectNotices()
  const shell = await shellFiles(making)
  const release: PackagedRelease = {
    ...making,
    ...inputs,
    description: manifest.description,
    license: readFileSync(join(ROOT, 'LICENSE'), 'utf8'),
    notices,
    shell,
    gzipLevel: inputs.quick ? GZIP.quick : GZIP.usual,
  }
  const built: Built[] = []
  for (const target of inputs.targets) {
    process.stdout.write(`building ${target}\n`)
    built.push(await buildTarget(release, target, { ...inputs, commit, date: day }))
  }
  const checksums = new Map(built.map(({ target, gzip }) => [target, gzip.sha256]))
  writeFileSync(join(folder, 'install.sh'), installer({ ...inputs, version: VERSION, checksums }), { mode: 0o755 })
  writeNpmMain(release, inputs.targets)
  writeFormula(release, checksums)
  writeFileSync(join(folder, 'LICENSES.txt'), notices)
  writeFileSync(join(folder, 'RELEASE_NOTES.md'), releaseNotes(readFileSync(join(ROOT, 'CHANGELOG.md'), 'utf8')))
  writeFileSync(join(folder, `gc-${VERSION}.cdx.json`), await softwareBill(making))
  const shellTar = gzipSync(tar(shell, making.date), { level: GZIP.usual })
  writeFileSync(join(folder, `gc-${VERSION}-shell.tar.gz`), shellTar)
  writeFileSync(join(folder, 'release.json'), releaseIndex(making, built))
  writeFileSync(join(folder, 'SHA256SUMS'), sumsOf(folder))
  if (!inputs.key) return
  writeFileSync(join(folder, 'minisign.pub'), `untrusted comment: key of the releases of gc\n${inputs.publicKey}\n`)
  for (const name of ['SHA256SUMS', 'release.json'])
    writeFileSync(
      join(folder, `${name}.minisig`),
      signatureOf(readFileSync(join(folder, name)), `gc ${VERSION} ${commit} ${name}`, inputs.key),
    )
}

async function buildTarget(
  packaged: PackagedRelease,
  target: Target,
  { quick, ...release }: Inputs & { commit: string; date: string | undefined },
): Promise<Built> {
  const { folder } = packaged
  const parts = mkdtempSync(join(folder, '.target-'))
  try {
    const path = join(parts, programName(target))
    await compile(target, path, release)
    const program = readFileSync(path)
    const problems = target === 'darwin-arm64' ? signatureProblems(program) : []
    if (problems.length > 0) throw new Error(`macOS would refuse gc for ${target}: ${problems.join('; ')}`)
    writeNpmPlatform(packaged, target, program)
    writeDeb(packaged, target, program)
    const name = `gc-${VERSION}-${target}${extname(path)}`
    const level = quick ? 'quick' : 'usual'
    return {
      target,
      programBytes: program.length,
      programSha256: sha256(program),
      gzip: writeCompressed(folder, `${name}.gz`, gzipSync(program, { level: GZIP[level] })),
      zstd: writeCompressed(folder, `${name}.zst`, Bun.zstdCompressSync(program, { level: ZSTD[level] })),
    }
  } finally {
    rmSync(parts, { recursive: true, force: true })
  }
}

function writeCompressed(folder: string, name: string, content: Buffer): ReleaseFile {
  writeFileSync(join(folder, name), content)
  return { name, size: content.length, sha256: sha256(content) }
}

/** The entries of this version, else those of the next one. */
function releaseNotes(changelog: string): string {
  const sections = changelog.split(/^(?=## )/m)
  const section =
    sections.find((each) => each.startsWith(`## [${VERSION}]`)) ?? sections.find((each) => each.startsWith('## ['))
  if (!section) throw new Error('CHANGELOG.md has no section of a version')
  return `# gc ${VERSION}\n\n${section.slice(section.indexOf('\n')).trim()}\n`
}

/** Index that `gc upgrade` reads. */
function releaseIndex({ version, commit, date }: Making, built: readonly Built[]): string {
  const files = built.flatMap(({ target, programBytes, programSha256, gzip, zstd }) =>
    [zstd, gzip].map((file) => ({ target, ...file, program_size: programBytes, program_sha256: programSha256 })),
  )
  return `${JSON.stringify({ schema: 1, version, commit, date: date.toISOString(), files }, null, 2)}\n`
}

function sumsOf(folder: string): string {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((each) => each.isFile())
  const names = files
    .map(({ parentPath, name }) => relative(folder, join(parentPath, name)).replaceAll('\\', '/'))
    .sort()
  return names.map((name) => `${sha256(readFileSync(join(folder, name)))}  ${name}\n`).join('')
}

interface Bill {
  serialNumber: string
  metadata: { timestamp: string; component: { type: string; name: string } }
  components: Record<string, unknown>[]
}

/** The packages of npm as CycloneDX, with the runtime, and without what differs from run to run. */
async function softwareBill({ commit, date }: Making): Promise<string> {
  const bill: Bill = await $`npm sbom --sbom-format cyclonedx --omit dev --package-lock-only`.cwd(ROOT).quiet().json()
  const hash = sha256(Buffer.from(`gc ${VERSION} ${commit}`))
  bill.serialNumber = `urn:uuid:${[hash.slice(0, 8), hash.slice(8, 12), `5${hash.slice(13, 16)}`, `8${hash.slice(17, 20)}`, hash.slice(20, 32)].join('-')}`
  bill.metadata.timestamp = date.toISOString()
  bill.metadata.component = { ...bill.metadata.component, type: 'application', name: 'gc' }
  bill.components.push({
    'bom-ref': `bun@${bun.version}`,
    type: 'platform',
    name: 'bun',
    version: bun.version,
    purl: `pkg:npm/bun@${bun.version}`,
    licenses: [{ license: { id: 'MIT' } }],
  })
  return `${JSON.stringify(bill, null, 2)}\n`
}

/** Completions and manual pages. */
async function shellFiles({ folder, date }: Making): Promise<ArchiveFile[]> {
  const files = ['bash', 'fish', 'zsh'].map((shell) => ({
    name: `completions/${shell === 'zsh' ? '_gc' : `gc.${shell}`}`,
    content: readFileSync(join(ROOT, `cli/completion/gc.${shell}`)),
  }))
  const pages = mkdtempSync(join(folder, '.man-'))
  try {
    const define = [`GC_VERSION="${VERSION}"`, `GC_DATE="${date.toISOString().slice(0, 10)}"`]
    const words = [...define.flatMap((each) => ['--define', each]), join(ROOT, 'cli/main.ts'), 'man', '--dir', pages]
    await $`${process.execPath} ${words}`.env({ ...process.env, GC_HOME: pages, GC_SESSION_ID: '' }).quiet()
    for (const name of readdirSync(pages).sort())
      files.push({ name: `man/man1/${basename(name)}`, content: readFileSync(join(pages, name)) })
  } finally {
    rmSync(pages, { recursive: true, force: true })
  }
  return files
}

try {
  await main()
} catch (error) {
  const reasons = error instanceof AggregateError ? error.errors.map(String) : []
  process.stderr.write(`${[error instanceof Error ? error.message : String(error), ...reasons].join('\n')}\n`)
  process.exitCode = 1
}
