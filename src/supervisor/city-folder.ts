import { isAbsolute, normalize } from 'node:path'
import { invalidField } from '../core/errors.ts'

/**
 * The folder that a request names. One folder has one name in the registry, and no name is looked for below a folder of
 * this process, so it has to be absolute, without `.` and `..`.
 */
export function requireFolder(field: 'dir' | 'path', folder: string): string {
  const path = folder.replace(/(?<=.)[/]$/, '')
  if (isAbsolute(path) && normalize(path) === path && !/(?![\u0080-\u009f])\p{Cc}/u.test(path)) return path
  throw invalidField(
    `body.${field}`,
    `${field} must be the absolute path of a folder, without "." and "..": ${JSON.stringify(folder.slice(0, 200))}`,
  )
}
