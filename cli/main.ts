import { basename } from 'node:path'
import { type Io, processIo } from './io/io.ts'
import { run } from './io/run.ts'
import { createProgram } from './program.ts'

/** The program is chosen by the name it is called by; `argv[0]` is always that of the runtime. */
const called = basename(process.argv0).replace(/\.exe$/i, '')

async function main(args: readonly string[], io: Io): Promise<number> {
  const bd = called === 'bd' ? args : args[0] === 'bd' ? args.slice(1) : undefined
  if (!bd) return run(createProgram(io), args, io)
  const { createBd } = await import('./bd/program.ts')
  return run(createBd(io), bd, io)
}

process.exitCode = await main(process.argv.slice(2), processIo())
