/** Facts in the first bytes of a picture. */
export interface PictureHeader {
  readonly type: 'jpeg' | 'png' | 'gif' | 'webp'
  readonly width: number
  readonly height: number
  readonly isAnimated: boolean
}

/** Reads the header of a picture; undefined for what is none, or is cut off before its size. */
export function readHeader(bytes: Uint8Array): PictureHeader | undefined {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  try {
    if (startsWith(bytes, '\x89PNG\r\n\x1a\n')) return readPng(view)
    if (startsWith(bytes, 'GIF8')) return readGif(view)
    if (startsWith(bytes, '\xff\xd8\xff')) return readJpeg(view)
    if (startsWith(bytes, 'RIFF') && startsWith(bytes.subarray(8), 'WEBP')) return readWebp(view)
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
  }
  return undefined
}

const startsWith = (bytes: Uint8Array, text: string): boolean =>
  [...text].every((character, index) => bytes[index] === character.charCodeAt(0))

const size = (type: PictureHeader['type'], width: number, height: number, isAnimated = false): PictureHeader => ({
  ...{ type, width, height, isAnimated },
})

const textAt = (view: DataView, offset: number): string =>
  String.fromCharCode(...[0, 1, 2, 3].map((index) => view.getUint8(offset + index)))

/** An animated PNG has a chunk for it before its data. */
function readPng(view: DataView): PictureHeader {
  let isAnimated = false
  for (let offset = 8; offset + 8 <= view.byteLength; offset += 12 + view.getUint32(offset)) {
    const chunk = textAt(view, offset + 4)
    if (chunk === 'IDAT') break
    isAnimated ||= chunk === 'acTL'
  }
  return size('png', view.getUint32(16), view.getUint32(20), isAnimated)
}

/** A GIF is animated when it has a second frame. */
function readGif(view: DataView): PictureHeader {
  const colors = (flags: number) => (flags & 0x80 ? 3 * 2 ** ((flags & 7) + 1) : 0)
  let frames = 0
  let offset = 13 + colors(view.getUint8(10))
  while (frames < 2 && view.getUint8(offset) !== 0x3b) {
    const isFrame = view.getUint8(offset) === 0x2c
    frames += Number(isFrame)
    offset += isFrame ? 11 + colors(view.getUint8(offset + 9)) : 2
    while (view.getUint8(offset) !== 0) offset += 1 + view.getUint8(offset)
    offset += 1
  }
  return size('gif', view.getUint16(6, true), view.getUint16(8, true), frames > 1)
}

/** The size of a JPEG is in its frame header, behind other segments. */
function readJpeg(view: DataView): PictureHeader {
  for (let offset = 2; ; offset += 2 + view.getUint16(offset + 2)) {
    const marker = view.getUint8(offset + 1)
    if (view.getUint8(offset) !== 0xff) throw new RangeError('no marker')
    const isFrame = marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker)
    if (isFrame) return size('jpeg', view.getUint16(offset + 7), view.getUint16(offset + 5))
  }
}

function readWebp(view: DataView): PictureHeader | undefined {
  const chunk = textAt(view, 12)
  const uint24 = (offset: number) => view.getUint16(offset, true) + view.getUint8(offset + 2) * 65_536
  if (chunk === 'VP8X') return size('webp', uint24(24) + 1, uint24(27) + 1, (view.getUint8(20) & 2) !== 0)
  if (chunk === 'VP8 ') return size('webp', view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
  if (chunk !== 'VP8L') return undefined
  const bits = view.getUint32(21, true)
  return size('webp', (bits & 0x3fff) + 1, ((bits >>> 14) & 0x3fff) + 1)
}
