import { mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { $ } from 'bun'
import manifest from '../package.json' with { type: 'json' }
import {
  commitHere,
  compile,
  parseTargets,
  programName,
  type Release,
  ROOT,
  readPublicKey,
  type Target,
} from './compile.ts'

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

/** Builds a file, which replaces the one before atomically, also while that runs. */
async function build(target: Target | undefined, outfile: string, release: Release): Promise<string> {
  const folder = mkdtempSync(join(dirname(outfile), '.building-'))
  try {
    const fresh = join(folder, programName(target ?? process.platform))
    await compile(target, fresh, release)
    if (target === undefined) await smoke(fresh)
    renameSync(fresh, outfile)
    return basename(outfile)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      target: { type: 'string', multiple: true },
      outdir: { type: 'string', default: 'dist' },
      // The commit to record outside a repository.
      commit: { type: 'string' },
      // The key that `gc upgrade` verifies releases with, and where it finds them.
      'public-key': { type: 'string' },
      index: { type: 'string' },
    },
  })
  const outdir = resolve(ROOT, values.outdir)
  mkdirSync(outdir, { recursive: true })
  const found = await commitHere()
  const file = values['public-key']
  const release = {
    commit: values.commit ?? found.commit,
    date: found.date,
    publicKey: file === undefined ? undefined : readPublicKey(file),
    index: values.index,
  }
  const built: string[] = []
  for (const target of parseTargets(values.target ?? []))
    built.push(await build(target, join(outdir, `gc-${target}${extname(programName(target))}`), release))
  if (built.length === 0) built.push(await build(undefined, join(outdir, programName(process.platform)), release))
  process.stdout.write(`built ${built.map((name) => join(values.outdir, name)).join(', ')}\n`)
}

try {
  await main()
} catch (error) {
  const reasons = error instanceof AggregateError ? error.errors.map(String) : []
  process.stderr.write(`${[error instanceof Error ? error.message : String(error), ...reasons].join('\n')}\n`)
  process.exitCode = 1
}
