import type { Command } from 'commander'
import { resolveHome } from '../../src/client/home.ts'
import { cityFolder } from '../context/city-folder.ts'
import type { CommandContext } from '../context/context.ts'
import { envelope } from '../context/envelope.ts'
import { loadOffline } from '../context/offline.ts'
import { type JsonOption, withJson } from '../context/options.ts'
import { printJson } from '../io/io.ts'
import { printTable } from '../io/table.ts'

export function skillCommands(program: Command, context: CommandContext): void {
  const skill = program.command('skill').description('the skills that packs bring')
  withJson(skill.command('list').description('list them, under the names that agents know them by')).action(
    (options: JsonOption, command: Command) => list(context, options, command),
  )
}

async function list(context: CommandContext, { json }: JsonOption, command: Command): Promise<void> {
  const folder = await cityFolder(context, command.optsWithGlobals<{ city?: string }>().city)
  const { readCityFiles, findPackSkills } = await loadOffline()
  const skills = findPackSkills(readCityFiles(folder, resolveHome(context.io.env)).packs)
  if (json) return printJson(context.io, envelope({ skills, items: skills, total: skills.length }))
  printTable(
    context.io,
    skills,
    [
      { header: 'SKILL', value: ({ name }) => name },
      { header: 'PACK', value: ({ pack }) => pack },
      { header: 'FOLDER', value: ({ path }) => path, minWidth: 12 },
    ],
    'No pack of this city brings skills.',
  )
}
