import { gzipSync } from 'node:zlib'

/** An entry of a crafted tar file; nothing is checked. */
export interface CraftedEntry {
  name: string
  /** `0` a file, `1` a hard link, `2` a symbolic link, `3` a device, `5` a folder, `6` a pipe, `L` a long name… */
  type?: string
  content?: string | Uint8Array
  /** Size in the header instead of the true one; a string is written unchanged. */
  size?: number | string | Uint8Array
  link?: string
  mode?: number
  /** Writes a wrong sum. */
  isDamaged?: boolean
}

const BLOCK = 512

function header({ name, type = '0', size, content = '', link = '', mode = 0o644, isDamaged }: CraftedEntry): Buffer {
  const block = Buffer.alloc(BLOCK)
  const number = (value: number, at: number, length: number) =>
    block.write(`${value.toString(8).padStart(length - 1, '0')}\0`, at, 'latin1')
  block.write(name, 0, 100, 'utf8')
  number(mode, 100, 8)
  number(0, 108, 8)
  number(0, 116, 8)
  const declaredSize = size ?? Buffer.from(content).length
  if (typeof declaredSize === 'number') number(declaredSize, 124, 12)
  else if (typeof declaredSize === 'string') block.write(declaredSize, 124, 12, 'latin1')
  else block.set(declaredSize, 124)
  number(0, 136, 12)
  block.write(type, 156, 'latin1')
  block.write(link, 157, 100, 'utf8')
  block.write('ustar\x0000', 257, 'latin1')
  block.fill(' ', 148, 156)
  const sum = block.reduce((total, byte) => total + byte, isDamaged ? 1 : 0)
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1')
  return block
}

export function craftTar(entries: readonly CraftedEntry[]): Buffer {
  const blocks = entries.flatMap((entry) => {
    const content = Buffer.from(entry.content ?? '')
    return [header(entry), content, Buffer.alloc((BLOCK - (content.length % BLOCK)) % BLOCK)]
  })
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)])
}

export const craftTarGz = (entries: readonly CraftedEntry[]): Buffer => gzipSync(craftTar(entries))

/** An extended header that names the entry after it. */
export function paxEntry(records: Record<string, string>): CraftedEntry {
  const lines = Object.entries(records).map(([key, value]) => {
    const rest = Buffer.byteLength(` ${key}=${value}\n`)
    const length = rest + String(rest + String(rest).length).length
    return `${length} ${key}=${value}\n`
  })
  return { name: 'pax', type: 'x', content: lines.join('') }
}
