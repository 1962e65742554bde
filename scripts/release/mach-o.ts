import { createHash } from 'node:crypto'

const MAGIC_64 = 0xfeedfacf
const HEADER_BYTES = 32
const SEGMENT_64 = 0x19
const CODE_SIGNATURE = 0x1d
const SUPER_BLOB = 0xfade0cc0
const CODE_DIRECTORY = 0xfade0c02
const AD_HOC = 0x2
const SHA256 = 2

/** Problems of a Mach-O program's ad-hoc signature; empty if macOS accepts it on arm64. */
export function signatureProblems(file: Buffer): string[] {
  if (file.length < HEADER_BYTES || file.readUInt32LE(0) !== MAGIC_64) return ['it is not a 64-bit Mach-O program']
  const found = findSignature(file)
  if (!found) return ['it has no LC_CODE_SIGNATURE']
  const { offset, size, linkeditEnd } = found
  if (offset + size !== file.length || linkeditEnd !== file.length)
    return ['its signature or its last segment does not end with the file']
  const directory = findDirectory(file.subarray(offset, offset + size))
  if (!directory) return ['its signature has no code directory']
  return directoryProblems(file, directory, offset)
}

function findSignature(file: Buffer): { offset: number; size: number; linkeditEnd: number } | undefined {
  let at = HEADER_BYTES
  let linkeditEnd = 0
  for (let left = file.readUInt32LE(16); left > 0; left--) {
    const [command, length] = [file.readUInt32LE(at), file.readUInt32LE(at + 4)]
    if (command === SEGMENT_64 && file.toString('latin1', at + 8, at + 18) === '__LINKEDIT')
      linkeditEnd = Number(file.readBigUInt64LE(at + 40) + file.readBigUInt64LE(at + 48))
    if (command === CODE_SIGNATURE)
      return { offset: file.readUInt32LE(at + 8), size: file.readUInt32LE(at + 12), linkeditEnd }
    at += length
  }
  return undefined
}

/** The code directory among the blobs of a signature. */
function findDirectory(signature: Buffer): Buffer | undefined {
  if (signature.readUInt32BE(0) !== SUPER_BLOB) return undefined
  for (let index = 0; index < signature.readUInt32BE(8); index++) {
    const start = signature.readUInt32BE(12 + 8 * index + 4)
    if (signature.readUInt32BE(start) === CODE_DIRECTORY)
      return signature.subarray(start, start + signature.readUInt32BE(start + 4))
  }
  return undefined
}

function directoryProblems(file: Buffer, directory: Buffer, signedBytes: number): string[] {
  const word = (offset: number) => directory.readUInt32BE(offset)
  const [flags, hashes, slots, limit] = [word(12), word(16), word(28), word(32)]
  const [hashBytes = 0, hashType, , pageBits = 0] = directory.subarray(36, 40)
  const problems: string[] = []
  if ((flags & AD_HOC) === 0) problems.push('its signature is not ad hoc')
  if (hashType !== SHA256 || hashBytes !== 32) return [...problems, 'its hashes are not SHA-256']
  if (limit !== signedBytes) problems.push(`it signs ${limit} bytes of ${signedBytes}`)
  const pageBytes = 2 ** pageBits
  if (slots !== Math.ceil(limit / pageBytes)) problems.push(`it has ${slots} hashes for ${limit} bytes`)
  for (let page = 0; page < slots; page++) {
    const content = file.subarray(page * pageBytes, Math.min((page + 1) * pageBytes, limit))
    const hash = directory.subarray(hashes + page * hashBytes, hashes + (page + 1) * hashBytes)
    if (!createHash('sha256').update(content).digest().equals(hash))
      return [...problems, `page ${page} is not the one signed`]
  }
  return problems
}
