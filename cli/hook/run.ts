import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { parseCount, parseDurationOption } from '../context/options.ts'
import { program } from '../context/version.ts'
import { Exit, failure } from '../io/exit.ts'

interface HookRun {
  timeout: number
  timeoutExitCode: number
}

const DEFAULT_TIMEOUT = 15_000
/** As the `timeout` of coreutils has it. */
const TIMED_OUT = 124

/** `gc hook run -- <command>`: a command of gc that a hook of an agent's program calls, and that may not hold it up. */
export function hookRunCommand(hook: Command, context: CommandContext): void {
  hook
    .command('run')
    .description('run a command of gc for a hook, with a timeout')
    .argument('<command...>', 'command and arguments, after `--`')
    .option('--timeout <duration>', 'timeout', parseDurationOption, DEFAULT_TIMEOUT)
    .option('--timeout-exit-code <status>', 'exit status after a timeout', parseCount, TIMED_OUT)
    .action((command: string[], options: HookRun) => run(context, command, options))
}

async function run({ io }: CommandContext, command: readonly string[], options: HookRun): Promise<void> {
  if (!io.env.GC_SESSION_ID) return
  const argv = [...program, ...command]
  const child = Bun.spawn(argv, {
    ...{ cwd: io.cwd, env: { ...io.env }, stdin: io.isInteractive ? 'ignore' : 'inherit' },
    ...{ stdout: 'pipe', stderr: 'pipe', timeout: Math.max(1, options.timeout), killSignal: 'SIGKILL' },
  })
  const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited])
  if (out !== '') io.out(out)
  if (err !== '') io.err(err)
  const status = child.signalCode === 'SIGKILL' ? options.timeoutExitCode : (child.exitCode ?? 1)
  if (status !== 0) throw new Exit(status)
}

/** `gc hook protocol -- <command>`: programs whose rules match first words are given a rule for these. */
export function hookProtocolCommand(hook: Command, { io }: CommandContext): void {
  hook
    .command('protocol')
    .description("run a command of gc's own protocol only")
    .argument('<command...>', 'command and arguments, after `--`')
    .action(async (words: string[]) => {
      const { isProtocol } = await import('../../src/programs/protocol/protocol.ts')
      if (!isProtocol(words)) throw failure(`this is not a command of gc's own protocol: ${words.join(' ')}`)
      const child = Bun.spawn([...program, ...words], {
        ...{ cwd: io.cwd, env: { ...io.env } },
        ...{ stdin: 'inherit', stdout: 'inherit', stderr: 'inherit' },
      })
      const status = await child.exited
      if (status !== 0) throw new Exit(status)
    })
}

/** `gc hook permission <program>`: programs call it before a tool runs; `main.ts` answers most calls before it comes here. */
export function hookPermissionCommand(hook: Command, { io }: CommandContext): void {
  hook
    .command('permission')
    .description("decide a tool call by gc's protocol and by rules")
    .argument('<program>', 'agent program; its tool call is on standard input')
    .argument('[path]', 'gc that allowed commands run; default is this one')
    .addHelpText(
      'after',
      '\nIt prints a decision for a plain command of the protocol, and for files and commands that a rule allows. For gemini it prints a command with its folder. It prints nothing for other calls.',
    )
    .action(async (name: string, path: string | undefined) => {
      const { decidePermission } = await import('./permission.ts')
      io.out(await decidePermission(name, await io.readInput(), io.env, path))
    })
}
