import { mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Command } from 'commander'
import type { CommandContext } from '../context/context.ts'
import { date, version } from '../context/version.ts'
import { notFound } from '../io/exit.ts'
import { printLine } from '../io/io.ts'
import { documented, fullName, manualPage, pageName } from './page.ts'

/** `gc man`: manual pages made from the commands. */
export function manCommand(program: Command, { io }: CommandContext): void {
  const day = date ?? new Date().toISOString().slice(0, 10)
  program
    .command('man')
    .description('print a manual page, or write all into a folder')
    .argument('[words...]', 'command, such as bead list; default is gc')
    .option('--dir <folder>', 'folder for the pages of all commands: gc.1, gc-bead.1 …')
    .addHelpText('after', '\ngc man bead list | man -l -\ngc man --dir ~/.local/share/man/man1')
    .action(async (words: string[], { dir }: { dir?: string }) => {
      const { createBd } = await import('../bd/program.ts')
      const commands = [...documented(program), ...documented(await createBd(io))]
      if (dir !== undefined) return writeAll(commands, resolve(io.cwd, dir))
      const isNamed = words[0] === program.name() || (words[0] === 'bd' && words.length > 1)
      const wanted = (isNamed ? words : [program.name(), ...words]).join(' ')
      const command = commands.find((each) => fullName(each) === wanted)
      if (!command) throw notFound('page-not-found', `there is no command ${words.join(' ')}; \`gc help\` lists them`)
      io.out(manualPage(command, version, day))
    })

  function writeAll(commands: readonly Command[], folder: string): void {
    mkdirSync(folder, { recursive: true })
    for (const command of commands)
      writeFileSync(join(folder, `${pageName(command)}.1`), manualPage(command, version, day))
    printLine(io, `${commands.length} manual pages are in ${folder}.`)
  }
}
