import { existsSync, readdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { adoptBackup } from '../city/backup/restore.ts'
import { AppError } from '../core/errors.ts'
import { createFolder } from '../core/folders.ts'

/** Unpacks a backup of a city into a folder that is empty or not there yet; what fails leaves nothing. */
export async function restore(file: string, folder: string): Promise<{ city: string; path: string; at: string }> {
  const path = resolve(folder)
  if (!existsSync(file)) throw new AppError('invalid-request', `there is no file ${file}`)
  if (existsSync(path) && readdirSync(path).length > 0) {
    throw new AppError('conflict-wrong-state', `${path} is not empty; restore into a new folder`)
  }
  const was = existsSync(path)
  createFolder(path)
  try {
    const tar = Bun.spawn(['tar', '-xzf', resolve(file), '-C', path], { stdin: 'ignore', stderr: 'pipe' })
    const output = await new Response(tar.stderr).text()
    const [reason = ''] = output.trim().split('\n')
    if ((await tar.exited) !== 0) throw new AppError('invalid-request', `${file} cannot be unpacked: ${reason}`)
    const { city, at } = await adoptBackup(path)
    return { city, path, at }
  } catch (error) {
    for (const name of readdirSync(path)) rmSync(`${path}/${name}`, { recursive: true, force: true })
    if (!was) rmSync(path, { recursive: true, force: true })
    throw error
  }
}
