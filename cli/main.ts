import { basename } from 'node:path'

/** The program is chosen by the name it is called by; `argv[0]` is always that of the runtime. */
const called = basename(process.argv0).replace(/\.exe$/i, '')

async function main(args: readonly string[]): Promise<number> {
  if (called !== 'bd' && args.length === 1 && args[0] === 'host') {
    const { runHost } = await import('./host.ts')
    return runHost(process.env)
  }
  if (args[0] === '__confine') {
    const { runConfined } = await import('../src/host/confine/confined-command.ts')
    return runConfined(args.slice(1))
  }
  if (args.length === 1 && args[0] === '__social-reader') {
    const { runReader } = await import('../src/supervisor/readers/reader-process.ts')
    return runReader()
  }
  const isPermission = args[0] === 'hook' && args[1] === 'permission' && args.length >= 3 && args.length <= 4
  if (called !== 'bd' && isPermission && !process.env.GC_PROTOCOL_ONLY) {
    // Programs wait for it before every command.
    const { decidePermission } = await import('./hook/permission.ts')
    process.stdout.write(await decidePermission(args[2] ?? '', await Bun.stdin.text(), process.env, args[3]))
    return 0
  }
  const { runCommand } = await import('./run-command.ts')
  return runCommand(called, args)
}

process.exitCode = await main(process.argv.slice(2))
