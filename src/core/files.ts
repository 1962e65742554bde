import { accessSync, constants, readFileSync, readlinkSync, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'

/** The text of a file; undefined when it cannot be read. */
export function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** The path that a symbolic link contains; undefined when the path is not a link, or cannot be read. */
export function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}

/** True if a path leads to a file that this user may run. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/**
 * The path of a program that can be run; undefined when there is none. A name is looked up in the folders of `path`, and
 * a command with a slash is a path below `base`.
 */
export function findProgram(command: string, path: string, base: string): string | undefined {
  if (command === '') return undefined
  if (command.includes('/')) return [resolve(base, command)].find(isExecutable)
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, command)).find(isExecutable)
}
