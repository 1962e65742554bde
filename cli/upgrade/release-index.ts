import { isRecord, parseJson } from '../../src/client/json.ts'
import { failure } from '../io/exit.ts'
import { parsePublicKey, verifySignature } from './minisign.ts'

/** A release that an index offers for this platform. */
export interface OfferedRelease {
  readonly version: string
  readonly commit: string
  /** The day of its commit. */
  readonly date: string
  /** False if this build has no key to verify the index with. */
  readonly isVerified: boolean
  readonly files: readonly OfferedFile[]
}

interface OfferedFile {
  readonly name: string
  readonly size: number
  readonly sha256: string
  readonly programSha256: string
}

interface Download {
  readonly maxBytes: number
  readonly signal: AbortSignal
}

const INDEX_BYTES = 1024 * 1024
const SIGNATURE_BYTES = 4096
/** Time without any byte after which a download has failed. */
const IDLE_MS = 30_000
/** Maximum size of a compressed program. */
const FILE_BYTES = 1024 ** 3
const SCHEMA = 1
const VERSION = /^\d{1,6}\.\d{1,6}\.\d{1,6}(-[\w.-]{1,40})?$/
const COMMIT = /^[0-9a-f]{7,40}\+?$/
const DATE = /^\d{4}-\d{2}-\d{2}(T|$)/
const NAME = /^[A-Za-z0-9][\w.+-]{0,99}$/
const HASH = /^[0-9a-f]{64}$/

/** The address of an index; throws if it is not one that can be read without a secret in it. */
export function parseAddress(text: string): URL {
  const url = URL.parse(text)
  if (!url || !['http:', 'https:'].includes(url.protocol))
    throw failure('the release index must be an http or https address')
  if (url.username || url.password)
    throw failure('the address of the release index must not contain a user or password')
  return url
}

/** Options for reading an index. */
interface Reading {
  readonly target: string
  /** The minisign key of this build; undefined if it is unsigned. */
  readonly publicKey: string | undefined
  readonly signal: AbortSignal
}

/** Reads the index at an address and verifies it with the key of this build. */
export async function readIndex(address: URL, { target, publicKey, signal }: Reading): Promise<OfferedRelease> {
  const content = await download(address, { maxBytes: INDEX_BYTES, signal })
  if (publicKey !== undefined) {
    const signature = await download(new URL(`${address.pathname}.minisig${address.search}`, address), {
      maxBytes: SIGNATURE_BYTES,
      signal,
    })
    const key = parsePublicKey(publicKey)
    if (!key || verifySignature(content, signature.toString(), key) === undefined)
      throw failure(`the signature of ${address.href} is not valid; nothing was changed`)
  }
  const release = parseIndex(content.toString(), target)
  if (!release) throw failure(`${address.href} is not a release index; nothing was changed`)
  return { ...release, isVerified: publicKey !== undefined }
}

function parseIndex(text: string, target: string): Omit<OfferedRelease, 'isVerified'> | undefined {
  const index = parseJson(text)
  if (!isRecord(index) || index.schema !== SCHEMA || !Array.isArray(index.files)) return undefined
  const { version, commit, date } = index
  if (!matches(version, VERSION) || !matches(commit, COMMIT) || !matches(date, DATE)) return undefined
  const files = index.files.flatMap((each) => (isRecord(each) && each.target === target ? [parseFile(each)] : []))
  if (files.includes(undefined)) return undefined
  return { version, commit, date: date.slice(0, 10), files: files.filter((each) => each !== undefined) }
}

function parseFile({
  name,
  size,
  sha256,
  program_sha256: programSha256,
}: Record<string, unknown>): OfferedFile | undefined {
  const isFile = matches(name, NAME) && matches(sha256, HASH) && matches(programSha256, HASH)
  if (!isFile || typeof size !== 'number' || !Number.isSafeInteger(size) || size <= 0 || size > FILE_BYTES)
    return undefined
  return { name, size, sha256, programSha256 }
}

const matches = (value: unknown, pattern: RegExp): value is string => typeof value === 'string' && pattern.test(value)

/** The program of an offered file, which lies beside the index; throws if its bytes are not those offered. */
export async function downloadProgram(address: URL, file: OfferedFile, signal: AbortSignal): Promise<Uint8Array> {
  const packed = await download(new URL(file.name, address), { maxBytes: file.size, signal })
  if (sha256(packed) !== file.sha256)
    throw failure(`${file.name} is damaged or forged: its SHA-256 is ${sha256(packed)}; nothing was changed`)
  const program = file.name.endsWith('.zst') ? Bun.zstdDecompressSync(packed) : Bun.gunzipSync(packed)
  if (sha256(program) !== file.programSha256)
    throw failure(`the program in ${file.name} is not the one that the release index names; nothing was changed`)
  return program
}

const sha256 = (content: Uint8Array): string => Bun.SHA256.hash(content, 'hex')

/** The whole content of an address; a response that stops, stalls or is too large throws. */
async function download(url: URL, { maxBytes, signal }: Download): Promise<Buffer<ArrayBuffer>> {
  const stalled = new AbortController()
  let timer = setTimeout(() => stalled.abort(), IDLE_MS)
  try {
    const response = await fetch(url, { signal: AbortSignal.any([signal, stalled.signal]) })
    if (!response.ok || !response.body) throw new Error(`status ${response.status}`)
    const parts: Uint8Array[] = []
    let size = 0
    for await (const part of response.body) {
      clearTimeout(timer)
      timer = setTimeout(() => stalled.abort(), IDLE_MS)
      size += part.length
      if (size > maxBytes) throw new Error(`it is larger than ${maxBytes} bytes`)
      parts.push(part)
    }
    return Buffer.concat(parts)
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error)
    const why = stalled.signal.aborted ? `no data for ${IDLE_MS / 1000} s` : message.split('. For more')[0]
    throw failure(`${url.href} could not be downloaded: ${why}; nothing was changed`)
  } finally {
    clearTimeout(timer)
  }
}

interface DatedVersion {
  readonly version: string
  readonly date: string | undefined
}

/** Negative if the first release is older: by version, and within one version by the day of its commit. */
export function compareReleases(a: DatedVersion, b: DatedVersion): number {
  return Bun.semver.order(a.version, b.version) || (a.date ?? '').localeCompare(b.date ?? '')
}
