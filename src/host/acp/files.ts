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
import type { SessionFolder } from './session-folder.ts'

/** What is read or written in one piece. */
const MAX_FILE_BYTES = 6 << 20

/** Reads a text file of the session's folder, or some lines of it. */
export function readTextFile(folder: SessionFolder, { path, line, limit }: ReadTextFileRequest): { content: string } {
  const file = open(folder.resolveInside(path), constants.O_RDONLY | constants.O_NONBLOCK, path)
  try {
    const { size } = statRegularFile(file, path)
    if (size > MAX_FILE_BYTES)
      throw new AppError('invalid-request', `${path} has more than ${MAX_FILE_BYTES} bytes; read less`)
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
export function writeTextFile(folder: SessionFolder, { path, content }: WriteTextFileRequest): void {
  if (Buffer.byteLength(content) > MAX_FILE_BYTES) {
    throw new AppError('invalid-request', `${path} would have more than ${MAX_FILE_BYTES} bytes; write less`)
  }
  const real = folder.resolveInside(path)
  mkdirSync(dirname(real), { recursive: true })
  const file = open(real, constants.O_WRONLY | constants.O_CREAT | constants.O_NONBLOCK, path)
  try {
    statRegularFile(file, path)
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

function statRegularFile(file: number, named: string): { size: number } {
  const status = fstatSync(file)
  if (!status.isFile()) throw new AppError('invalid-request', `${named} is not a file`)
  return status
}
