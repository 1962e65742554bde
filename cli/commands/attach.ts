import type { Command } from 'commander'
import { openTerminal, type Terminal } from '../../src/client/terminal.ts'
import type { CommandContext } from '../context/context.ts'
import { formatControlKey, parseControlKey, splitAtDetach } from '../io/control-keys.ts'
import { failure } from '../io/exit.ts'
import { processTty, type Tty } from '../io/tty.ts'

interface AttachOptions {
  readOnly?: true
  detachKey: number
}

export function attachCommand(session: Command, context: CommandContext): void {
  session
    .command('attach')
    .description('see a session’s terminal and type into it; the session goes on when you leave')
    .argument('<session>')
    .option('--read-only', 'only look; works without a terminal too')
    .option('--detach-key <key>', 'the key that leaves the session', parseControlKey, parseControlKey('ctrl-]'))
    .action((id: string, options: AttachOptions) => attach(context, id, options))
  session
    .command('watch')
    .description('see a session’s terminal and only look')
    .argument('<session>')
    .action((id: string) => attach(context, id, { readOnly: true, detachKey: parseControlKey('ctrl-]') }))
}

async function attach(context: CommandContext, id: string, options: AttachOptions): Promise<void> {
  const tty = processTty()
  if (!tty && !options.readOnly) throw failure('attaching needs a terminal; with --read-only it does without')
  const city = await context.city()
  const terminal = await openTerminal(city, id, {
    write: !options.readOnly,
    cols: tty?.cols ?? 80,
    rows: tty?.rows ?? 24,
    onOutput: (bytes) => (tty ? tty.write(bytes) : context.io.outBytes(bytes)),
  })
  const stop = () => terminal.close()
  context.io.signal.addEventListener('abort', stop, { once: true })
  if (tty) connect(tty, terminal, options)
  const ended = await terminal.closed.finally(() => tty?.restore())
  context.io.signal.removeEventListener('abort', stop)
  if (ended !== undefined) context.io.err(`gc: ${ended}\n`)
  else if (tty) context.io.err(`\nLeft session ${id} (${formatControlKey(options.detachKey)}); it goes on.\n`)
}

/** Hands the person's terminal to the session until the detach key. */
function connect(tty: Tty, terminal: Terminal, { detachKey, readOnly }: AttachOptions): void {
  tty.acquire({
    keys(typed) {
      const { rest, pressed } = splitAtDetach(typed, detachKey)
      if (!readOnly && rest.length > 0) terminal.send(rest)
      if (pressed || (readOnly && typed.includes(CTRL_C))) terminal.close()
    },
    size(cols, rows) {
      if (!readOnly) terminal.resize(cols, rows)
    },
  })
}

const CTRL_C = 3
