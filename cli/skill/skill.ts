import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { loadOffline } from '../context/offline.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { notFound } from '../io/exit.ts'
import { printJson } from '../io/io.ts'
import { printTable } from '../io/table.ts'

interface List extends JsonOption {
  agent?: string
  session?: string
}

export function skillCommands(program: Command, context: CommandContext): void {
  const skill = program.command('skill').description('list the skills of packs')
  withJson(skill.command('list').description('list skills by the names that agents see'))
    .option('--agent <agent>', 'only skills of this agent')
    .option('--session <session>', 'only skills of this session’s agent')
    .action((options: List, command: Command) => list(context, options, command))
}

async function list(context: CommandContext, options: List, command: Command): Promise<void> {
  const folder = await cityFolder(context, command.optsWithGlobals<{ city?: string }>().city)
  const skills = await skillsOf(context, folder, options)
  const { agent, session, json } = options
  if (json) {
    const known = { ...(agent && { agent }), ...(session && { session }) }
    const entries = skills.map(({ name, pack, path }) => ({ name, source: pack, path: `${path}/SKILL.md` }))
    return printJson(
      context.io,
      envelope({ ...known, count: skills.length, entries, skills, items: skills, total: skills.length }),
    )
  }
  printTable(
    context.io,
    skills,
    [
      { header: 'SKILL', value: ({ name }) => name },
      { header: 'PACK', value: ({ pack }) => pack },
      { header: 'FOLDER', value: ({ path }) => path, minWidth: 12 },
    ],
    agent || session ? 'This agent is given no skills.' : 'No pack of this city brings skills.',
  )
}

async function skillsOf(context: CommandContext, folder: string, { agent, session }: List) {
  const home = resolveHome(context.io.env)
  const { readCityFiles, composeFolder, findPackSkills, findAgentSkills } = await loadOffline()
  const template = session === undefined ? undefined : await templateOf(context, session)
  const name = agent ?? template
  if (name === undefined) return findPackSkills(readCityFiles(folder, home).packs)
  const { config } = composeFolder(folder, home)
  const found = config.agents.find(({ qualified }) => qualified === name)
  if (!found) throw notFound('agent-not-found', `there is no agent ${name}; \`gc agent list\` lists them`)
  return findAgentSkills(found.brings.skills, config.packs)
}

const templateOf = async (context: CommandContext, id: string): Promise<string> =>
  (await (await context.city()).call('GET ~/session/{id}', { params: { id } })).template
