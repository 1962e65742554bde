import { type Command, Option } from 'commander'
import type { CityClient } from '../../src/client/client.ts'
import { openTerminal, type Terminal, type TerminalEffect } from '../../src/client/terminal.ts'
import type { SessionResponse } from '../../src/work/sessions/index.ts'
import type { CommandContext } from '../context/context.ts'
import { oldSpelling } from '../context/options.ts'
import { formatControlKey, parseControlKey, splitAtDetach } from '../io/control-keys.ts'
import { failure } from '../io/exit.ts'
import { pause } from '../io/io.ts'
import { processTty, type Tty } from '../io/tty.ts'
import { readTuiConfig } from '../tui/tui.ts'
import { readTranscript } from './transcript.ts'
import { because } from './unavailable.ts'

const DETACH_KEY = 'ctrl-]'

interface AttachOptions {
  readOnly?: true
  effects?: TerminalEffect[]
  detachKey: number
}

export function attachCommand(session: Command, context: CommandContext): void {
  session
    .command('attach')
    .description('attach to the terminal of a session; ctrl-] detaches')
    .argument('<session>')
    .option('--read-only', 'send no input; needs no terminal')
    .addOption(
      new Option('--detach-key <key>', 'key that detaches')
        .argParser(parseControlKey)
        .default(parseControlKey(DETACH_KEY), DETACH_KEY),
    )
    .addOption(effectsOption())
    .addOption(oldSpelling('--allow <effect...>', 'effects').choices(EFFECTS))
    .action((id: string, options: AttachOptions) => attach(context, id, options))
  session
    .command('watch')
    .description('watch the terminal of a session, read-only')
    .argument('<session>')
    .addOption(effectsOption())
    .addOption(oldSpelling('--allow <effect...>', 'effects').choices(EFFECTS))
    .action((id: string, { effects }: AttachOptions) =>
      attach(context, id, { readOnly: true, detachKey: parseControlKey(DETACH_KEY), ...(effects && { effects }) }),
    )
}

const effectsOption = (): Option =>
  new Option('--effects <effect...>', 'allow title, clipboard or notifications; default is in tui.toml').choices(
    EFFECTS,
  )

const EFFECTS = ['title', 'clipboard', 'notifications'] as const satisfies readonly TerminalEffect[]

/** Effects allowed to the session besides drawing: those of the option, else of the user's settings. */
async function effectsOf(context: CommandContext, { effects }: AttachOptions): Promise<readonly TerminalEffect[]> {
  if (effects) return effects
  const { readSettings } = await import('../../tui/settings/settings.ts')
  return readSettings(readTuiConfig(context), context.io.env).settings.attach
}

async function attach(context: CommandContext, id: string, options: AttachOptions): Promise<void> {
  const tty = processTty()
  if (!tty && !options.readOnly) throw failure('attaching needs a terminal; use --read-only without one')
  const city = await context.city()
  const session = await untilStarted(context, city, id)
  if (session.state === '' && options.readOnly) {
    context.io.err(`gc: session ${id} is closed${because(session)}; this is its transcript\n`)
    return readTranscript(context, id, { tail: 0 })
  }
  const effects = tty ? await effectsOf(context, options) : []
  const terminal = await openTerminal(city, id, {
    write: !options.readOnly,
    effects,
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
  else if (tty)
    context.io.err(`\nDetached from session ${id} (${formatControlKey(options.detachKey)}); it continues.\n`)
}

const STARTING = new Set(['creating', 'start-pending'])
const START_TIMEOUT_MS = 30_000
const LOOK_MS = 100

/** Waits for a session whose program is being started; returns what it is then. */
async function untilStarted({ io }: CommandContext, city: CityClient, id: string): Promise<SessionResponse> {
  for (let waited = 0; ; waited += LOOK_MS) {
    const session = await city.call('GET ~/session/{id}', { params: { id } })
    if (!STARTING.has(session.state) || waited >= START_TIMEOUT_MS || io.signal.aborted) return session
    await pause(LOOK_MS, io.signal)
  }
}

/** Connects the user's terminal with the session until the detach key. */
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
