const BARS = '▁▂▃▄▅▆▇█'

/** A line of bars, the largest the highest; nothing is a dot. */
export function sparkLine(values: readonly number[]): string {
  const most = Math.max(...values, 0)
  return values.map((value) => barOf(value, most)).join('')
}

function barOf(value: number, most: number): string {
  if (value <= 0) return '·'
  return BARS[Math.min(BARS.length - 1, Math.floor((value / most) * BARS.length))] ?? '·'
}
