import { AppError } from '../../core/errors.ts'
import type { TarHeader } from '../../core/tar/index.ts'
import { BACKUP_DB, isCityFile, isCityFolder, MANIFEST } from './contents.ts'

/** Verdict on an entry. */
export type Verdict = { kind: 'file'; name: string } | { kind: 'folder'; name: string } | { kind: 'skip'; name: string }

export interface JudgeOptions {
  /** The most bytes that all files may have together. */
  readonly maxBytes: number
  /** Skips links and files that no city has, instead of rejecting the archive for them. */
  readonly skipUnknown: boolean
}

/** The most entries an archive may have. */
const MAX_ENTRIES = 200_000
const MAX_NAME_BYTES = 1024
const MAX_DEPTH = 32
const MAX_MANIFEST_BYTES = 64 * 1024

const FILE = '0'
const FOLDER = '5'
const LINKS: Readonly<Record<string, string>> = { '1': 'a hard link', '2': 'a symbolic link' }
const OTHERS: Readonly<Record<string, string>> = {
  '3': 'a device',
  '4': 'a device',
  '6': 'a pipe',
  S: 'a sparse file',
  g: 'a header for all that follows',
}

/** Judges the entries of an archive one after the other; it knows those before, and writes nothing. */
export class ArchiveJudge {
  readonly #kinds = new Map<string, Verdict['kind']>()
  #bytes = 0
  #entries = 0

  constructor(private readonly options: JudgeOptions) {}

  /** Verdict on an entry; throws if the archive must not be unpacked. */
  judge(header: TarHeader): Verdict {
    if (++this.#entries > MAX_ENTRIES) throw rejected(`it holds more than ${MAX_ENTRIES} files`)
    const name = checkName(header.name)
    this.#checkSize(header, name)
    const verdict = this.#classify(header, name)
    this.#checkPlace(verdict)
    this.#remember(verdict)
    return verdict
  }

  /** True if an archive may hold this as well. */
  accepts(header: TarHeader): boolean {
    try {
      return this.judge(header).kind !== 'skip'
    } catch {
      return false
    }
  }

  /** Throws unless what was judged is a whole backup. */
  finish(): void {
    const isWhole = [BACKUP_DB, MANIFEST].every((name) => this.#kinds.get(keyOf(name)) === 'file')
    if (!isWhole) throw new AppError('invalid-request', 'this is not a backup of a city: it has no database in it')
  }

  #checkSize({ size }: TarHeader, name: string): void {
    this.#bytes += size
    if (this.#bytes > this.options.maxBytes) {
      throw rejected(`it would unpack to more than ${Math.floor(this.options.maxBytes / 2 ** 20)} MB`)
    }
    if (name === MANIFEST && size > MAX_MANIFEST_BYTES) throw rejected(`${MANIFEST} is too large`)
  }

  #classify({ type }: TarHeader, name: string): Verdict {
    if (type === FILE) return isCityFile(name) ? { kind: 'file', name } : this.#skip(name, 'is not a file of a city')
    if (type === FOLDER) {
      return name === '' || isCityFolder(name)
        ? { kind: 'folder', name }
        : this.#skip(name, 'is not a folder of a city')
    }
    const link = LINKS[type]
    if (link) return this.#skip(name, `is ${link}, which is never unpacked`)
    throw rejected(`${shown(name)} is ${OTHERS[type] ?? 'neither a file nor a folder'}`)
  }

  #skip(name: string, reason: string): Verdict {
    if (this.options.skipUnknown) return { kind: 'skip', name }
    throw rejected(`${shown(name)} ${reason}; with --skip-unknown the rest of it can be restored`)
  }

  /** Records folders: an entry below one implies it. */
  #remember({ kind, name }: Verdict): void {
    this.#kinds.set(keyOf(name), kind)
    if (kind === 'skip') return
    const parts = keyOf(name).split('/')
    for (let length = 1; length < parts.length; length++) this.#kinds.set(parts.slice(0, length).join('/'), 'folder')
  }

  /** Rejects a second entry of a name, and one inside anything but a folder, also on disks that do not tell cases apart. */
  #checkPlace({ kind, name }: Verdict): void {
    const before = this.#kinds.get(keyOf(name))
    if (before !== undefined && !(before === kind && kind === 'folder')) {
      throw rejected(`${shown(name)} is in it twice`)
    }
    const parts = keyOf(name).split('/')
    for (let length = 1; length < parts.length; length++) {
      const parent = this.#kinds.get(parts.slice(0, length).join('/'))
      if (parent === 'file' || (parent === 'skip' && kind !== 'skip')) {
        throw rejected(`${shown(name)} lies in something that is not a folder`)
      }
    }
  }
}

/** The name of an entry below the city, without `./` and a slash at its end. */
function checkName(name: string): string {
  const plain = name.replace(/^(\.\/)+/, '').replace(/\/+$/, '')
  if (plain === '' || plain === '.') {
    if (name.startsWith('/')) throw rejected(`${shown(name)} is an absolute path`)
    return ''
  }
  if (plain.startsWith('/') || /^[a-z]:/i.test(plain)) throw rejected(`${shown(name)} is an absolute path`)
  const parts = plain.split('/')
  if (parts.includes('..')) throw rejected(`${shown(name)} leads out of the city`)
  const isOdd = parts.some(
    (part) => part === '' || part === '.' || part.length > 255 || /(?![\u0080-\u009f])[\p{Cc}\\]/u.test(part),
  )
  if (isOdd || parts.length > MAX_DEPTH || Buffer.byteLength(plain) > MAX_NAME_BYTES) {
    throw rejected(`${shown(name)} is not a name of a file`)
  }
  return plain
}

/** Names that a disk may take for the same have the same key. */
const keyOf = (name: string): string => name.normalize('NFC').toLowerCase()

/** A name as shown to people: without codes, and not too long. */
const shown = (name: string): string => JSON.stringify(name.slice(0, 120))

/** The error for an archive that is not unpacked. */
export const rejected = (reason: string): AppError =>
  new AppError('invalid-request', `the backup is not unpacked: ${reason}`)
