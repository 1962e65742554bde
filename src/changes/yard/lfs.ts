import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AppError, errorMessage } from '../../core/errors.ts'
import type { PathChange } from './inspect.ts'
import type { Yard } from './yard.ts'

/** A file that stands for one of Git LFS, which is kept elsewhere. */
export interface LfsPointer {
  readonly path: string
  readonly oid: string
  readonly size: number
}

const MAX_POINTER_BYTES = 1024
const POINTER =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\n(?:.*\n)*?oid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n/
const MAX_OUTPUT_BYTES = 64 * 1024 * 1024
const PER_REQUEST = 100
const TIMEOUT_MS = 30_000
const MEDIA = 'application/vnd.git-lfs+json'

/** The pointers of Git LFS among changed files. */
export async function lfsPointers(yard: Yard, changes: readonly PathChange[]): Promise<LfsPointer[]> {
  const files = changes.filter(({ newMode }) => newMode.startsWith('100'))
  if (files.length === 0) return []
  const sizes = (await objects(yard, '--batch-check=%(objectsize)', files)).split('\n')
  const small = files.filter((_, at) => Number(sizes[at]) <= MAX_POINTER_BYTES)
  const contents = small.length === 0 ? '' : await objects(yard, '--batch=%(objectsize)', small)
  const pointers: LfsPointer[] = []
  let at = 0
  for (const { path } of small) {
    const start = contents.indexOf('\n', at) + 1
    at = start + Number(contents.slice(at, start)) + 1
    const [, oid, size] = POINTER.exec(contents.slice(start, at)) ?? []
    if (oid !== undefined) pointers.push({ path, oid, size: Number(size) })
  }
  return pointers
}

/** Output of git on the new contents of files, one character for each byte. */
const objects = (yard: Yard, format: string, files: readonly PathChange[]): Promise<string> =>
  yard.own.read(['cat-file', format], {
    ...{ maxOutput: MAX_OUTPUT_BYTES, encoding: 'latin1' },
    input: Buffer.from(files.map(({ newBlob }) => `${newBlob}\n`).join('')),
  })

/** The pointers whose files the remote does not have. `login` finds what the person has stored for its address. */
export async function missingLfs(
  pointers: readonly LfsPointer[],
  { url, username, password }: { url: string; username?: string; password?: string },
  login: (url: string) => Promise<{ username: string; password: string } | undefined>,
): Promise<LfsPointer[]> {
  if (url.startsWith('/') || url.startsWith('file://')) {
    const folder = url.startsWith('/') ? url : fileURLToPath(url)
    const places = [join(folder, 'lfs'), join(folder, '.git/lfs')]
    return pointers.filter(({ oid }) => !places.some((place) => existsSync(join(place, placeOf(oid)))))
  }
  if (!/^https?:/.test(url)) throw unknown('gc can look for them over HTTP only')
  const own = password === undefined ? await login(url) : { username: username ?? '', password }
  const endpoint = `${url.replace(/\/+$/, '').replace(/(?<!\.git)$/, '.git')}/info/lfs/objects/batch`
  const missing: LfsPointer[] = []
  for (let at = 0; at < pointers.length; at += PER_REQUEST) {
    const some = pointers.slice(at, at + PER_REQUEST)
    const there = await ask(endpoint, some, own)
    missing.push(...some.filter(({ oid }) => !there.has(oid)))
  }
  return missing
}

const placeOf = (oid: string): string => join('objects', oid.slice(0, 2), oid.slice(2, 4), oid)

const unknown = (why: string): AppError => new AppError('service-unavailable', why)

/** The files that a server offers for download. */
async function ask(
  endpoint: string,
  pointers: readonly LfsPointer[],
  login: { username: string; password: string } | undefined,
): Promise<Set<string>> {
  const encoded = login && Buffer.from(`${login.username}:${login.password}`).toString('base64')
  const asked = {
    operation: 'download',
    transfers: ['basic'],
    objects: pointers.map(({ oid, size }) => ({ oid, size })),
  }
  const response = await fetch(endpoint, {
    ...{ method: 'POST', redirect: 'manual', body: JSON.stringify(asked), signal: AbortSignal.timeout(TIMEOUT_MS) },
    headers: { accept: MEDIA, 'content-type': MEDIA, ...(encoded && { authorization: `Basic ${encoded}` }) },
  }).catch((error) => Promise.reject(unknown(errorMessage(error))))
  if (response.status !== 200) throw unknown(`the server answered with status ${response.status}`)
  return new Set(offered(await response.text()))
}

function offered(text: string): string[] {
  const answer: unknown = text.length > MAX_OUTPUT_BYTES ? undefined : parse(text)
  const items = isRecord(answer) && Array.isArray(answer.objects) ? answer.objects : []
  return items.flatMap((item: unknown) => {
    const isThere =
      isRecord(item) && item.error === undefined && isRecord(item.actions) && isRecord(item.actions.download)
    return isThere && typeof item.oid === 'string' ? [item.oid] : []
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null
