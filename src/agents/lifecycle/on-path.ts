import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'

/** Whether a command is an executable program. */
export function isOnPath(command: string, path: string, base: string): boolean {
  if (command.includes('/')) return isExecutable(isAbsolute(command) ? command : resolve(base, command))
  return path.split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, command)))
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}

/** That a provider has no program, in the words that clients know; the program is named where its name is another. */
export const notOnPath = (provider: string, program: string): string =>
  `provider '${provider}' not found in PATH${program === provider ? '' : `: there is no program ${program}`}`
