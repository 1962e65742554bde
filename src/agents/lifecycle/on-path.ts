import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import type { AgentConfig } from '../../config/city-config.ts'
import type { Provider } from '../../config/providers/provider.ts'
import type { CityEnvironment } from './environment.ts'

/** That the program of a provider is nowhere; undefined when it is there. */
export function missingProgram(
  provider: Provider,
  agent: Pick<AgentConfig, 'env' | 'session'> | undefined,
  environment: Pick<CityEnvironment, 'env' | 'path'>,
): string | undefined {
  const path = agent?.env.PATH ?? provider.env.PATH ?? environment.env.PATH ?? ''
  const line = (agent?.session === 'acp' && provider.acpCommand) || provider.command
  const command = provider.pathCheck ?? line.split(/\s+/)[0] ?? ''
  return isOnPath(command, path, environment.path) ? undefined : notOnPath(provider.name, command)
}

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
