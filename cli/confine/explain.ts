import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { sanitizeLine } from '../../src/client/text.ts'
import type { ConfinementRule, ExplainedConfinement } from '../../src/config/confinement/index.ts'
import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { failure } from '../io/exit.ts'
import { printJson } from '../io/io.ts'
import { printTable } from '../io/table.ts'
import { describeSessionCgroups } from './cgroup-support.ts'

/** Defines the command that shows how an agent is confined. */
export function confineExplainCommand(confine: Command, context: CommandContext): void {
  withJson(confine.command('explain').description('show the sandbox of an agent, with the source of each rule'))
    .argument('<agent>', 'the agent, such as shop/worker')
    .action(async (agent: string, options: JsonOption, command: Command) => {
      const folder = await cityFolder(context, command.optsWithGlobals<{ city?: string }>().city)
      await explain(context, folder, agent, options)
    })
}

async function explain(context: CommandContext, folder: string, name: string, options: JsonOption): Promise<void> {
  const { io } = context
  const { explainFolderConfinement } = await import('../../src/config/offline/explain.ts')
  const { defaultPlaces } = await import('../../src/host/confine/start/default-policy.ts')
  const { REGISTRIES } = await import('../../src/host/confine/start/default-hosts.ts')
  const defaults = (home: string) => ({ ...defaultPlaces(home), registries: REGISTRIES })
  const gcHome = resolveHome(io.env)
  const { toVisible } = await import('../../src/config/offline/visible.ts')
  const found = explainFolderConfinement(folder, { name, gcHome, defaults })
  const explained = toVisible(found, { env: io.env, path: folder, home: gcHome })
  if ('errors' in explained) throw failure(explained.errors.join('\n'))
  if (options.json) return printJson(io, explained)
  io.out(`${sanitizeLine(inWords(explained))}\n`)
  if (explained.rules.length > 0) {
    printTable(
      io,
      explained.rules,
      [
        { header: 'ACCESS', value: ({ access }) => access },
        { header: 'WHAT', value: ({ what }) => what, minWidth: 10 },
        { header: 'SAID BY', value: ruleSource },
      ],
      '',
    )
  }
  if (explained.rules.some(({ access }) => SHARES.has(access))) {
    const holding = await describeSessionCgroups(context)
    io.out(`Limits of cpu and memory: ${holding}; \`gc session show\` shows that of a running one.\n`)
  }
  const { INHERITED, outerSession } = await import('../../src/host/confine/outer.ts')
  if (explained.rules.length > 0 && outerSession()) io.out(`Rules that are ${INHERITED}.\n`)
  for (const problem of explained.problems) io.out(`It cannot be started: ${sanitizeLine(problem)}.\n`)
  for (const withheld of explained.withheld) io.out(`${sanitizeLine(withheld)}.\n`)
}

const SHARES: ReadonlySet<ConfinementRule['access']> = new Set(['cpu', 'memory', 'pids'])

const WORDS = {
  default: 'is sandboxed: it changes only its own folder and reaches only the hosts and ports listed here',
  network: 'is sandboxed in its own folder and reaches every network',
  off: 'is not sandboxed: it runs with your permissions; confine = "default" adds a sandbox',
}

function inWords({ agent, confine, file, line }: ExplainedConfinement): string {
  return `${agent} ${WORDS[confine]} (${file === undefined ? 'the default' : `${file}:${line}`}).`
}

function ruleSource({ by, file, line, purpose }: ConfinementRule): string {
  if (purpose !== undefined) return `${by}, for ${purpose}`
  return file === undefined ? by : `${by}, ${file}:${line}`
}
