import type { Command } from 'commander'
import { openTerminal, type Terminal } from '../../src/client/terminal.ts'
import type { Here } from '../context/context.ts'
import { beforeDetach, controlKey, keyName } from '../io/control-keys.ts'
import { failure } from '../io/exit.ts'
import { processTty, type Tty } from '../io/tty.ts'

interface Attach {
  readOnly?: true
  detachKey: number
}

export function attachCommand(session: Command, here: Here): void {
  session
    .command('attach')
    .description('see a session’s terminal and type into it; the session goes on when you leave')
    .argument('<session>')
    .option('--read-only', 'only look; works without a terminal too')
    .option('--detach-key <key>', 'the key that leaves the session', controlKey, controlKey('ctrl-]'))
    .action((id: string, options: Attach) => attach(here, id, options))
  session
    .command('watch')
    .description('see a session’s terminal and only look')
    .argument('<session>')
    .action((id: string) => attach(here, id, { readOnly: true, detachKey: controlKey('ctrl-]') }))
}

async function attach(here: Here, id: string, options: Attach): Promise<void> {
  const tty = processTty()
  if (!tty && !options.readOnly) throw failure('attaching needs a terminal; with --read-only it does without')
  const city = await here.city()
  const terminal = await openTerminal(city, id, {
    write: !options.readOnly,
    cols: tty?.cols ?? 80,
    rows: tty?.rows ?? 24,
    output: (bytes) => (tty ? tty.write(bytes) : here.io.bytes(bytes)),
  })
  const stop = () => terminal.close()
  here.io.signal.addEventListener('abort', stop, { once: true })
  if (tty) give(tty, terminal, options)
  const ended = await terminal.closed.finally(() => tty?.restore())
  here.io.signal.removeEventListener('abort', stop)
  if (ended !== undefined) here.io.err(`gc: ${ended}\n`)
  else if (tty) here.io.err(`\nLeft session ${id} (${keyName(options.detachKey)}); it goes on.\n`)
}

/** Hands the person's terminal to the session until the detach key. */
function give(tty: Tty, terminal: Terminal, { detachKey, readOnly }: Attach): void {
  tty.take({
    keys(typed) {
      const { rest, pressed } = beforeDetach(typed, detachKey)
      if (!readOnly && rest.length > 0) terminal.send(rest)
      if (pressed || (readOnly && typed.includes(CTRL_C))) terminal.close()
    },
    size(cols, rows) {
      if (!readOnly) terminal.resize(cols, rows)
    },
  })
}

const CTRL_C = 3
