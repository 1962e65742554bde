import { deflateSync } from 'node:zlib'

/** A part of a PNG with its checksum. */
export const chunk = (type: string, data: Uint8Array): Buffer => {
  const head = Buffer.alloc(4)
  head.writeUInt32BE(data.length)
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(Bun.hash.crc32(body))
  return Buffer.concat([head, body, sum])
}

/** A PNG of one color, whose header may claim another size than it has. */
export function png(
  width = 40,
  height = 20,
  { claimed = [width, height], more = [] as Buffer[], color = 90 } = {},
): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(claimed[0] ?? 0, 0)
  header.writeUInt32BE(claimed[1] ?? 0, 4)
  header.set([8, 2], 8)
  const rows = Buffer.alloc(height * (1 + width * 3), color)
  for (let row = 0; row < height; row++) rows[row * (1 + width * 3)] = 0
  const chunks = [chunk('IHDR', header), ...more, chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...chunks])
}
