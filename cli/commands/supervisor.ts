import { existsSync, mkdirSync, readFileSync, rmSync, unwatchFile, watchFile, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { Command } from 'commander'
import { readSupervisorFile, resolveHome } from '../../src/client/home.ts'
import { sanitizeLines } from '../../src/client/text.ts'
import { ensureSupervisor, isAnswering, LOG_FILE } from '../context/background.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, parseCount, withJson } from '../context/options.ts'
import { program as ownProgram } from '../context/version.ts'
import { Exit, failure } from '../io/exit.ts'
import { printJson, printLine } from '../io/io.ts'
import { reload } from './reload.ts'
import { defineServe, parsePort } from './serve.ts'
import { defineDown } from './server.ts'

/** The supervisor as a service of this machine. */
export function supervisorCommands(program: Command, context: CommandContext): void {
  defineStart(program.command('up'), context)
  const supervisor = program.command('supervisor').description('the supervisor as a service: start, stop, status, logs')
  defineServe(supervisor.command('run'), context)
  defineStart(supervisor.command('start'), context)
  defineDown(supervisor.command('stop').option('--wait', 'accepted: it always waits'), context)
  withJson(supervisor.command('status').description('show whether the supervisor runs; status 1 when not')).action(
    (options: JsonOption) => status(context, options),
  )
  withJson(supervisor.command('reload').description('read the configuration of every city again')).action(
    async (options: JsonOption) => {
      for (const { name, running } of await context.cities())
        if (running) await reload(context, context.client.city(name), options)
    },
  )
  supervisor
    .command('logs')
    .description('show the log of a supervisor that was started in the background')
    .option('-n, --lines <n>', 'the number of lines', parseCount, 50)
    .option('-f, --follow', 'go on with what is added, until ctrl-c')
    .action((options: { lines: number; follow?: true }) => logs(context, options))
  supervisor
    .command('install')
    .description('let systemd start the supervisor when you log in')
    .option('--force', 'replace the unit that is there')
    .action((options: { force?: true }) => install(context, options))
  supervisor
    .command('uninstall')
    .description('remove the unit that `install` wrote')
    .action(() => uninstall(context))
}

/** Defines the command that starts the supervisor in the background. */
function defineStart(command: Command, context: CommandContext): void {
  withJson(command.description('start the supervisor in the background; nothing, when one runs'))
    .option('--port <port>', 'the port to listen on; 0 for any free port', parsePort)
    .action(async (options: JsonOption & { port?: number }) => {
      const started = await ensureSupervisor(context, options.port)
      const { url } = context.renewed().client.access
      const message = started ? `The supervisor is up at ${url}.` : `A supervisor runs at ${url}.`
      if (options.json)
        return printJson(
          context.io,
          envelope({ command: command.name() === 'up' ? 'up' : 'supervisor start', message, url }),
        )
      printLine(context.io, message)
    })
}

async function status(context: CommandContext, options: JsonOption): Promise<void> {
  const { io } = context
  const running = await isAnswering(context)
  const pid = readSupervisorFile(resolveHome(io.env))?.pid
  const { url } = context.client.access
  if (options.json)
    printJson(
      io,
      envelope({ command: 'supervisor status', running, ...(running && { pid }), url, checked_paths: [url] }),
    )
  else printLine(io, running ? `The supervisor runs at ${url} (process ${pid ?? '?'}).` : 'No supervisor runs.')
  if (!running) throw new Exit(1)
}

async function logs({ io }: CommandContext, { lines, follow }: { lines: number; follow?: true }): Promise<void> {
  const file = join(resolveHome(io.env), LOG_FILE)
  if (!existsSync(file))
    throw failure(`there is no log at ${file}: a supervisor writes one when \`gc supervisor start\` started it`)
  let text = readFileSync(file, 'utf8')
  const shown = text
    .trimEnd()
    .split('\n')
    .slice(lines === 0 ? 0 : -lines)
  if (text) printLine(io, sanitizeLines(shown.join('\n')))
  if (!follow) return
  const { promise, resolve } = Promise.withResolvers<void>()
  watchFile(file, { interval: 250 }, () => {
    const next = existsSync(file) ? readFileSync(file, 'utf8') : ''
    io.out(sanitizeLines(next.startsWith(text) ? next.slice(text.length) : next))
    text = next
  })
  io.signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  unwatchFile(file)
}

function unitFile({ io }: CommandContext): string {
  if (process.platform !== 'linux') {
    throw failure('only systemd units are written; here, let the system run `gc serve` when you log in')
  }
  const config = io.env.XDG_CONFIG_HOME || join(io.env.HOME || homedir(), '.config')
  return join(config, 'systemd', 'user', 'gc.service')
}

function install(context: CommandContext, { force }: { force?: true }): void {
  const file = unitFile(context)
  if (existsSync(file) && !force) throw failure(`${file} exists; --force replaces it`)
  const words = [...ownProgram, 'serve'].map(quote).join(' ')
  const unit = `[Unit]
Description=gc, supervisor of coding agents

[Service]
ExecStart=${words}
Environment=${quote(`PATH=${context.io.env.PATH ?? ''}`)}
Environment=${quote(`GC_HOME=${resolveHome(context.io.env)}`)}
Restart=on-failure
KillMode=process

[Install]
WantedBy=default.target
`
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, unit)
  printLine(context.io, `Wrote ${file}; start it with \`systemctl --user enable --now gc\`.`)
}

/** A word of a unit file. */
const quote = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%')}"`

function uninstall(context: CommandContext): void {
  const file = unitFile(context)
  if (!existsSync(file)) throw failure(`there is no ${file}`)
  rmSync(file)
  printLine(context.io, `Removed ${file}; stop the service with \`systemctl --user stop gc\`.`)
}
