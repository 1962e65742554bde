import { isAbsolute, normalize } from 'node:path'
import { AppError } from '../core/errors.ts'

/**
 * The folder that a request names. One folder has one name in the registry, and no name is looked for below a folder of
 * this process, so it has to be absolute, without `.` and `..`.
 */
export function requireFolder(field: 'dir' | 'path', folder: string): string {
  const path = folder.replace(/(?<=.)[/]$/, '')
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is rejected
  if (isAbsolute(path) && normalize(path) === path && !/[\x00-\x1f\x7f]/.test(path)) return path
  throw new AppError(
    'invalid-request',
    `${field} must be the absolute path of a folder, without "." and "..": ${JSON.stringify(folder.slice(0, 200))}`,
  )
}
