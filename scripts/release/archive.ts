import { formatHeader, paddedSize } from '../../src/core/tar/header.ts'

/** A file of an archive. */
export interface ArchiveFile {
  readonly name: string
  readonly content: Uint8Array | string
  readonly mode?: number
}

const TAR_END_BYTES = 1024
const FILE_MODE = 0o644
const FOLDER_MODE = 0o755

/** A tar file of root's, with every folder before its files; equal files and dates give equal bytes. */
export function tar(files: readonly ArchiveFile[], date: Date): Buffer {
  const folders = new Set(files.flatMap(({ name }) => parentsOf(name)))
  const blocks: Uint8Array[] = [...folders]
    .sort()
    .map((name) => formatHeader({ name: `${name}/`, mode: FOLDER_MODE, size: 0, type: '5' }, date.getTime()))
  for (const { name, content, mode = FILE_MODE } of files) {
    const bytes = Buffer.from(content)
    blocks.push(formatHeader({ name, mode, size: bytes.length, type: '0' }, date.getTime()), bytes)
    blocks.push(Buffer.alloc(paddedSize(bytes.length) - bytes.length))
  }
  return Buffer.concat([...blocks, Buffer.alloc(TAR_END_BYTES)])
}

function parentsOf(name: string): string[] {
  const parts = name.split('/').slice(0, -1)
  return parts.map((_, index) => parts.slice(0, index + 1).join('/')).filter((each) => each !== '.' && each !== '')
}

/** An archive of `ar`, which a Debian package is. */
export function ar(files: readonly ArchiveFile[], date: Date): Buffer {
  const seconds = Math.floor(date.getTime() / 1000)
  const parts = files.flatMap(({ name, content }) => {
    const bytes = Buffer.from(content)
    const header = [
      name.padEnd(16),
      String(seconds).padEnd(12),
      '0     0     100644  ',
      String(bytes.length).padEnd(10),
    ]
    return [Buffer.from(`${header.join('')}\`\n`), bytes, Buffer.from(bytes.length % 2 === 1 ? '\n' : '')]
  })
  return Buffer.concat([Buffer.from('!<arch>\n'), ...parts])
}
