import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  readFileSync,
  writeFileSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { type ReadTextFileRequest, RequestError, type WriteTextFileRequest } from '@agentclientprotocol/sdk'
import { AppError } from '../../core/errors.ts'
import type { Folder } from './folder.ts'

/** What is read or written in one piece. */
const FILE_MOST = 6 << 20

/** Reads a text file of the session's folder, or some lines of it. */
export function readTextFile(folder: Folder, { path, line, limit }: ReadTextFileRequest): { content: string } {
  const file = open(folder.inside(path), constants.O_RDONLY | constants.O_NONBLOCK, path)
  try {
    const { size } = regular(file, path)
    if (size > FILE_MOST) throw new AppError('invalid-request', `${path} has more than ${FILE_MOST} bytes; read less`)
    const content = readFileSync(file, 'utf8')
    if (!line && limit === undefined) return { content }
    const lines = content.split(/(?<=\n)/)
    const from = Math.max(0, (line ?? 1) - 1)
    return { content: lines.slice(from, limit == null ? undefined : from + limit).join('') }
  } finally {
    closeSync(file)
  }
}

/** Writes a text file of the session's folder; folders on the way are made. */
export function writeTextFile(folder: Folder, { path, content }: WriteTextFileRequest): void {
  if (Buffer.byteLength(content) > FILE_MOST) {
    throw new AppError('invalid-request', `${path} would have more than ${FILE_MOST} bytes; write less`)
  }
  const real = folder.inside(path)
  mkdirSync(dirname(real), { recursive: true })
  const file = open(real, constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK, path)
  try {
    regular(file, path)
    writeFileSync(file, content)
    ftruncateSync(file, Buffer.byteLength(content))
  } finally {
    closeSync(file)
  }
}

/** The last part of a real path is no link; one that became a link since is not followed. */
function open(real: string, flags: number, named: string): number {
  try {
    return openSync(real, flags | constants.O_NOFOLLOW, 0o644)
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : ''
    if (code === 'ENOENT') throw RequestError.resourceNotFound(named)
    if (code === 'ELOOP') throw new AppError('forbidden', `${named} is a link that leads elsewhere`)
    throw new AppError('invalid-request', `${named} cannot be opened: ${code}`)
  }
}

function regular(file: number, named: string): { size: number } {
  const status = fstatSync(file)
  if (!status.isFile()) throw new AppError('invalid-request', `${named} is not a file`)
  return status
}
