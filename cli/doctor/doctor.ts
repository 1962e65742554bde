import type { Command } from 'commander'
import { type Colour, countOf, paint, sanitizeLine } from '../../src/client/text.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { type JsonOption, parseDurationOption, withJson } from '../context/options.ts'
import { Exit } from '../io/exit.ts'
import { type Io, printJson, printLine } from '../io/io.ts'
import type { CheckResult, CheckStatus } from './result.ts'

interface Doctor extends JsonOption {
  fix?: true
  verbose?: true
  checkTimeout: number
}

export function doctorCommand(program: Command, context: CommandContext): void {
  withJson(program.command('doctor').description('check this machine, the city and its packs'))
    .argument('[city]', 'name or folder of the city')
    .option('--fix', 'fix what can be fixed')
    .option('--check-timeout <duration>', 'timeout of each check of a pack', parseDurationOption, 60_000)
    .option('-v, --verbose', 'show details of passed checks')
    .action((name: string | undefined, options: Doctor, command: Command) => {
      const city = name ?? command.optsWithGlobals<{ city?: string }>().city
      return doctor(context, city, options)
    })
}

async function doctor(context: CommandContext, city: string | undefined, options: Doctor): Promise<void> {
  const { runDoctor } = await import('./run-checks.ts')
  const results = await runDoctor(context, { city, fix: options.fix === true, timeoutMs: options.checkTimeout })
  const count = (...statuses: CheckStatus[]) => results.filter(({ status }) => statuses.includes(status)).length
  const [passed, warned, failed] = [count('ok'), count('warning', 'unknown'), count('error')]
  const fixed = results.filter((result) => result.fixed).length
  if (options.json) printJson(context.io, { ...envelope({ passed, warned, failed, fixed, results }), ok: failed === 0 })
  else {
    for (const result of results) print(context.io, result, options.verbose === true)
    printLine(
      context.io,
      `\n${passed} good, ${countOf(warned, 'warning')}, ${countOf(failed, 'error')}${fixed > 0 ? `, ${fixed} fixed` : ''}.`,
    )
  }
  if (failed > 0) throw new Exit(1)
}

const COLOURS: Readonly<Record<CheckStatus, Colour>> = { ok: 'green', warning: 'yellow', error: 'red', unknown: 'dim' }

function print(
  io: Io,
  { name, status, message, fix_hint, details = [], fixed, fix_error }: CheckResult,
  verbose: boolean,
) {
  const mark = paint(status.padEnd(7), COLOURS[status], io.colour)
  printLine(io, `${mark}  ${sanitizeLine(`${name}: ${message}`)}${fixed ? ' (fixed)' : ''}`)
  if (status !== 'ok' || fixed || verbose) for (const line of details) printLine(io, `           ${sanitizeLine(line)}`)
  if (fix_error) printLine(io, `           could not be fixed: ${sanitizeLine(fix_error)}`)
  if (status !== 'ok' && fix_hint) printLine(io, `         → ${sanitizeLine(fix_hint)}`)
}
