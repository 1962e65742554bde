import { existsSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { resolveHome } from '../../src/client/home.ts'
import { isAlive } from '../../src/client/process.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { builtFor, builtInIndex, commit, date, program as ownProgram, publicKey, version } from '../context/version.ts'
import { failure } from '../io/exit.ts'
import { confirm, type Io, printLine } from '../io/io.ts'
import { prepareCandidate } from './candidate.ts'
import { describePlan, planFor } from './plan.ts'
import { compareReleases, downloadProgram, type OfferedRelease, parseAddress, readIndex } from './release-index.ts'
import { replace } from './replace.ts'

/** The options of `gc upgrade`. */
export interface UpgradeOptions {
  binary?: string
  index?: string
  sha256?: string
  available?: true
  yes?: true
  dryRun?: true
}

export async function upgrade(context: CommandContext, options: UpgradeOptions): Promise<void> {
  const { io } = context
  if (io.env.GC_SESSION_ID) throw failure('a session may not replace gc; ask the operator')
  const { binary, sha256, available } = options
  if (binary !== undefined) return put(context, options, () => resolve(io.cwd, binary))
  const address = await findAddress(io, options.index)
  if (sha256 !== undefined && !/^[0-9a-fA-F]{64}$/.test(sha256)) throw failure('--sha256 takes 64 hexadecimal digits')
  if (!available && publicKey === undefined && sha256 === undefined)
    throw failure(
      'this gc is unsigned and cannot verify releases; add --sha256 with the checksum of the file from SHA256SUMS',
    )
  const release = await readIndex(address, { target: builtFor ?? thisMachine(), publicKey, signal: io.signal })
  const isOlder = compareReleases(release, { version, date }) < 0
  const isSame = release.version === version && release.commit === commit
  if (available) return printOffer(io, release, isSame || isOlder)
  if (isSame) return printLine(io, `gc ${version} (${commit}) is the newest release. Nothing was changed.`)
  if (isOlder)
    throw failure(
      `the release index offers gc ${release.version} (${release.date}), which is older than this gc; nothing was changed. To go back, download it and use --binary`,
    )
  const file = release.files.find((each) => sha256 === undefined || each.sha256 === sha256.toLowerCase())
  if (!file) {
    const missing = sha256 === undefined ? 'file' : 'file with that SHA-256'
    throw failure(`gc ${release.version} has no ${missing} for ${builtFor ?? thisMachine()}; nothing was changed`)
  }
  printLine(io, `Downloading ${file.name} of gc ${release.version}.`)
  await put(
    context,
    options,
    async (path) => {
      writeFileSync(path, await downloadProgram(address, file, io.signal), { mode: 0o755 })
      return path
    },
    release.version,
  )
}

/** The address from the option, the file of the home, or the build; throws if there is none. */
async function findAddress({ env }: Io, option: string | undefined): Promise<URL> {
  if (option !== undefined) return parseAddress(option)
  const { readSupervisorToml } = await import('../../src/config/confinement/default-mode.ts')
  const found = readSupervisorToml(resolveHome(env)).upgradeIndex ?? builtInIndex
  if (found === undefined)
    throw failure(
      'gc knows no release index; add --index <url>, set index in [upgrade] of $GC_HOME/supervisor.toml, or use --binary <file>',
    )
  return parseAddress(found)
}

/** The platform of a build that is only for its own machine. */
function thisMachine(): string {
  const isMusl = process.platform === 'linux' && readdirSync('/lib').some((name) => name.startsWith('ld-musl-'))
  const system = process.platform === 'win32' ? 'windows' : process.platform
  return `${system}-${process.arch}${isMusl && !existsSync('/lib64/ld-linux-x86-64.so.2') ? '-musl' : ''}`
}

function printOffer(
  io: Io,
  { version: offered, commit: its, date: day, isVerified }: OfferedRelease,
  isOld: boolean,
): void {
  const name = `gc ${offered} (${its}, ${day})`
  printLine(
    io,
    isOld ? `The release index has nothing newer: it offers ${name}.` : `${name} is available: run \`gc upgrade\`.`,
  )
  if (!isVerified) printLine(io, 'This gc is unsigned, so the index was not verified.')
}

/** Tries a gc, and puts it in the place of this one. `provide` returns its file, and may write one to the path that it gets. */
async function put(
  context: CommandContext,
  { yes, dryRun }: UpgradeOptions,
  provide: (path: string) => string | Promise<string>,
  expected?: string,
): Promise<void> {
  const { io } = context
  const [own = '', ...more] = ownProgram
  if (more.length > 0) throw failure('this gc runs from its sources; a built gc can be replaced')
  const target = realpathSync(own)
  removeLeftovers(target)
  const fresh = join(dirname(target), `${prefixOf(target)}${process.pid}.new`)
  const download = `${fresh.slice(0, -'new'.length)}download`
  try {
    const candidate = await prepareCandidate(await provide(download), fresh, target)
    if (expected !== undefined && candidate.version !== expected)
      throw failure(
        `the download is gc ${sanitizeLine(candidate.version)} instead of gc ${expected}; nothing was changed`,
      )
    const plan = await planFor(resolveHome(io.env), candidate)
    for (const line of describePlan(plan)) printLine(io, line)
    if (plan.impossible.length > 0) throw failure(`${plan.impossible.join('; ')}; nothing was changed`)
    if (dryRun) return printLine(io, 'Nothing was changed.')
    if (plan.back.length > 0 && !yes) await confirmLoss(io)
    await replace(context, plan, target)
  } finally {
    for (const path of [fresh, download]) rmSync(path, { force: true })
  }
}

async function confirmLoss(io: Io): Promise<void> {
  if (!io.isInteractive) throw failure('there is no terminal to confirm; add --yes to go back. Nothing was changed')
  if (!(await confirm(io, 'Go back?'))) throw failure('nothing was changed')
}

const prefixOf = (target: string): string => `.${basename(target)}-`

/** Files beside the program that killed upgrades left there. */
function removeLeftovers(target: string): void {
  for (const name of readdirSync(dirname(target))) {
    const [, pid] = name.startsWith(prefixOf(target)) ? (/-(\d+)\.(?:new|download)$/.exec(name) ?? []) : []
    if (pid && !isAlive(Number(pid))) rmSync(join(dirname(target), name), { force: true })
  }
}
