import { statSync } from 'node:fs'
import { errorMessage } from '../../core/errors.ts'
import { readEnvFile } from './env-file.ts'

interface LoadedFile {
  readonly version: string
  readonly variables: Readonly<Record<string, string>>
  /** Why it cannot be used. */
  readonly problem: string | undefined
}

/** The variables of accounts. Each file is read again whenever it changes. */
export class EnvFiles {
  readonly #files = new Map<string, LoadedFile>()

  /** The variables of an account; throws the sentence that `problem` gives. */
  variables(envFile: string | undefined): Readonly<Record<string, string>> {
    if (envFile === undefined) return {}
    const { variables, problem } = this.#read(envFile)
    if (problem !== undefined) throw new Error(problem)
    return variables
  }

  /** Why the file of an account cannot be used; undefined when it can, or there is none. */
  problem(envFile: string | undefined): string | undefined {
    return envFile === undefined ? undefined : this.#read(envFile).problem
  }

  #read(path: string): LoadedFile {
    if (!isPath(path)) return { version: '', variables: {}, problem: 'env_file is not the path of a file' }
    const stats = statSync(path, { throwIfNoEntry: false })
    const version = stats ? `${stats.ino}:${stats.size}:${stats.mtimeMs}:${stats.mode}` : ''
    const cached = this.#files.get(path)
    if (cached?.version === version) return cached
    const loaded = { version, ...load(path) }
    this.#files.set(path, loaded)
    return loaded
  }
}

/** Whether the system takes it as a path at all. */
const isPath = (text: string): boolean =>
  text.startsWith('/') &&
  !/\p{Cc}/u.test(text) &&
  text.split('/').every((part) => part.length <= 255) &&
  text.length <= 4_096

function load(path: string): Omit<LoadedFile, 'version'> {
  try {
    return { variables: readEnvFile(path), problem: undefined }
  } catch (error) {
    return { variables: {}, problem: errorMessage(error) }
  }
}
