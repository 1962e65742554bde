import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { builtFor, commit, date, notices, publicKey, version } from '../context/version.ts'
import { failure } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'

/** Builds with a key of releases are signed; whatever else is built names itself unsigned. */
const build = commit === 'dev' ? [commit] : [commit, date, publicKey === undefined ? 'unsigned' : undefined]
export const versionLine = `gc ${version} (${build.filter((part) => part !== undefined).join(', ')})`

export function versionCommand(program: Command, { io }: CommandContext): void {
  program
    .command('version')
    .description('print the version of this program')
    .option('--json', 'print JSON')
    .option('-l, --long', 'include database versions and the changelog')
    .option('--licenses', 'print the licenses of this program and of the software in it')
    .action(async ({ json, long, licenses }: { json?: true; long?: true; licenses?: true }) => {
      if (licenses) return printLicenses(io)
      if (json) return printJson(io, { version, commit, ...(date && { date }), ...(long && (await readRelease())) })
      printLine(io, versionLine)
      if (long) printRelease(io, await readRelease())
    })
}

/** Facts about this gc for another one. */
async function readRelease() {
  const [{ ownVersions }, { changes }] = await Promise.all([
    import('../../src/supervisor/databases.ts'),
    import('../upgrade/changelog.ts'),
  ])
  return { databases: ownVersions, changes, target: builtFor ?? null, public_key: publicKey ?? null }
}

function printRelease(io: Io, { databases, changes }: Awaited<ReturnType<typeof readRelease>>): void {
  const versions = Object.entries(databases).map(([kind, newest]) => `${kind} ${newest}`)
  printLine(
    io,
    publicKey ? `It accepts releases of the key ${publicKey}.` : 'It is unsigned: it has no key of releases.',
  )
  printLine(io, `It reads databases of these versions and older: ${versions.join(', ')}.`)
  for (const change of changes) printLine(io, `- ${change}`)
}

function printLicenses(io: Io): void {
  if (notices === undefined) {
    throw failure('the licenses are collected when gc is built; among its sources they lie in LICENSE and node_modules')
  }
  printLine(io, notices)
}
