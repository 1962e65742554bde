/** A length to the second, with every unit below the first: `40s`, `5m0s`, `1h0m3s`. */
export function formatElapsed(ms: number): string {
  const seconds = Math.round(ms / 1000)
  const [hours, minutes, rest] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60]
  if (hours > 0) return `${hours}h${minutes}m${rest}s`
  return minutes > 0 ? `${minutes}m${rest}s` : `${rest}s`
}
