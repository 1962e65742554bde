import { processIo } from './io/io.ts'
import { run } from './io/run.ts'

/** Runs a command of `gc` or `bd`; answers with its exit status. */
export async function runCommand(called: string, args: readonly string[]): Promise<number> {
  const io = processIo()
  const bd = called === 'bd' ? args : args[0] === 'bd' ? args.slice(1) : undefined
  if (bd) {
    const { createBd } = await import('./bd/program.ts')
    return run(createBd(io), bd, io)
  }
  const { createProgram } = await import('./program.ts')
  return run(createProgram(io), args, io)
}
