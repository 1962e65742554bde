import type { Command } from 'commander'
import { createBd } from '../../cli/bd/program.ts'
import { createProgram } from '../../cli/program.ts'
import { recorder } from '../cli/shell.ts'

/** The command lines of gc and bd in a text: of blocks of code and of spans. */
export function commandLines(text: string): string[] {
  const spans = [...text.replaceAll('\\"', '"').matchAll(/`((?:gc|bd) [^`]+)`/g)].map(([, span]) => span ?? '')
  const blocks = [...text.matchAll(/^(?:\s*|.*[;(&|]\s*)((?:gc|bd) [a-z][^\n]*)$/gm)].map(([, line]) => line ?? '')
  return [...spans, ...blocks]
    .flatMap((line) => line.replace(/\s+#.*$/, '').split(/[;|)]|&&/))
    .map((line) => line.trim())
    .filter((line) => /^(gc|bd) [a-z]/.test(line))
}

let programs: Promise<Record<string, Command>> | undefined

/** Both programs, defined once for all documents of a test file. */
function allPrograms(): Promise<Record<string, Command>> {
  programs ??= (async () => {
    const { io } = recorder()
    return { gc: await createProgram(io), bd: await createBd(io) }
  })()
  return programs
}

/** The lines that name a command or an option which gc and bd do not have, each with the unknown word. */
export async function findUnknownCommands(lines: readonly string[]): Promise<string[]> {
  const known = await allPrograms()
  return lines.flatMap((line) => {
    const [program = '', ...words] = line.split(/\s+/)
    const unknown = findUnknown(known[program], words)
    return unknown === undefined ? [] : [`${line}: ${unknown}`]
  })
}

/** The first word of a command line that is not a subcommand and no option; undefined when all are. */
function findUnknown(program: Command | undefined, words: readonly string[]): string | undefined {
  let command = program
  let isLeaf = false
  for (const word of words) {
    if (word === '--') return undefined
    if (word.startsWith('--')) {
      const name = word.replace(/=.*$/, '').replace(/[`'"…).,:]+$/, '')
      const options = [...(command?.options ?? []), ...(program?.options ?? [])]
      if (!options.some(({ long }) => long === name)) return name
      isLeaf = true
      continue
    }
    const child = isLeaf
      ? undefined
      : command?.commands.find((each) => each.name() === word || each.aliases().includes(word))
    if (child) command = child
    else if (!isLeaf && command && command.commands.length > 0 && command.registeredArguments.length === 0) return word
    else isLeaf = true
  }
  return undefined
}
