import { expect, test } from 'bun:test'
import type { Command } from 'commander'
import { COMMAND_WORDS, createProgram } from '../../cli/program.ts'
import { recorder } from './shell.ts'

const named = (program: Command, word: string) =>
  program.commands.find((each) => each.name() === word || each.aliases().includes(word))

/** The help of a command and of all below it. */
const helpOf = (command: Command): string[] => [command.helpInformation(), ...command.commands.flatMap(helpOf)]

test('a command line loads only the commands that its first word names, and those whole', async () => {
  const { io } = recorder()
  const whole = await createProgram(io)
  const words = whole.commands.flatMap((each) => [each.name(), ...each.aliases()])
  expect([...COMMAND_WORDS].toSorted()).toEqual([...new Set(words)].toSorted())
  for (const word of COMMAND_WORDS) {
    const program = await createProgram(io, ['--city', 'mill', word, 'help'])
    const [own, all] = [named(program, word), named(whole, word)]
    if (!own || !all) throw new Error(`gc ${word} is not there`)
    expect([word, helpOf(own)]).toEqual([word, helpOf(all)])
    const isWhole = program.commands.length === whole.commands.length
    expect([word, isWhole]).toEqual([word, ['help', 'completion', '__complete', 'man'].includes(word)])
  }
})
