/** Pixels, four bytes each: red, green, blue, opacity. */
export interface Pixels {
  readonly width: number
  readonly height: number
  readonly data: Uint8ClampedArray
}

/** A picture in exactly this size: scaled until it fills it, and cut off evenly where it is longer. */
export function scaleToFill(source: Pixels, width: number, height: number): Pixels {
  const factor = Math.min(source.width / width, source.height / height)
  const left = (source.width - width * factor) / 2
  const top = (source.height - height * factor) / 2
  const data = new Uint8ClampedArray(width * height * 4)
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      data.set(average(source, left + x * factor, top + y * factor, factor), (y * width + x) * 4)
    }
  }
  return { width, height, data }
}

/** The mean of a square of pixels, each weighed by its opacity. */
function average({ width, height, data }: Pixels, left: number, top: number, length: number): number[] {
  const [fromX, fromY] = [Math.floor(left), Math.floor(top)]
  const endX = Math.min(width, Math.max(fromX + 1, Math.floor(left + length)))
  const endY = Math.min(height, Math.max(fromY + 1, Math.floor(top + length)))
  const sum = [0, 0, 0]
  let opacity = 0
  for (let y = fromY; y < endY; y++) {
    for (let x = fromX; x < endX; x++) {
      const at = (y * width + x) * 4
      const alpha = data[at + 3] ?? 0
      for (const channel of [0, 1, 2]) sum[channel] = (sum[channel] ?? 0) + (data[at + channel] ?? 0) * alpha
      opacity += alpha
    }
  }
  const count = (endX - fromX) * (endY - fromY)
  return [...sum.map((value) => (opacity === 0 ? 0 : value / opacity)), opacity / count]
}
