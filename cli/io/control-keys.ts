import { InvalidArgumentError } from 'commander'

/** The byte of a control key written as `ctrl-]`, `ctrl-x` or `^]`. */
export function parseControlKey(text: string): number {
  const [, key] = /^(?:ctrl[-+]|c-|\^)([a-z@[\\\]^_])$/i.exec(text) ?? []
  if (!key) throw new InvalidArgumentError('It must be a control key, such as ctrl-] or ctrl-x.')
  return key.toUpperCase().charCodeAt(0) & 0x1f
}

/** A control key as `ctrl-x`. */
export const formatControlKey = (byte: number): string => `ctrl-${String.fromCharCode(byte | 0x40).toLowerCase()}`

/** The typed bytes before the detach key, and whether it was pressed, in any encoding. */
export function splitAtDetach(typed: Uint8Array, key: number): { rest: Uint8Array; pressed: boolean } {
  const plain = typed.indexOf(key)
  const encoded = indexOfEncoded(typed, key)
  const positions = [plain, encoded].filter((position) => position >= 0)
  if (positions.length === 0) return { rest: typed, pressed: false }
  return { rest: typed.subarray(0, Math.min(...positions)), pressed: true }
}

/** With the extended keyboard protocol terminals send `CSI 93;5u` for ctrl-]. */
function indexOfEncoded(typed: Uint8Array, key: number): number {
  const letter = key | 0x40
  const codes = [letter, letter + 0x20].map((code) => `\u001b[${code};5u`)
  const text = Buffer.from(typed).toString('latin1')
  return Math.max(...codes.map((code) => text.indexOf(code)))
}
