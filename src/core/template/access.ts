import { failure, type TemplateData, toBytes, typeName, type Value } from './value.ts'

/** An item of a map by its key, or a byte of a text by its place. */
export function indexOf(item: Value, index: Value): Value {
  if (typeof item === 'object') {
    if (typeof index !== 'string') throw failure(`${typeName(index)} is not a key`)
    return item.get(index) ?? ''
  }
  if (typeof item !== 'string') throw failure(`${typeName(item)} has no items`)
  const bytes = toBytes(item)
  const byte = bytes[place(index, bytes.length - 1)]
  return byte === undefined ? undefined : BigInt(byte)
}

/** A part of a text, by bytes. */
export function sliceOf(item: Value, indexes: readonly Value[]): string {
  if (typeof item !== 'string') throw failure(`${typeName(item)} cannot be sliced`)
  if (indexes.length > 2) throw failure('a text takes two places at most')
  const bytes = toBytes(item)
  const [start = 0, end = bytes.length] = indexes.map((index) => place(index, bytes.length))
  if (start > end) throw failure(`${start} lies behind ${end}`)
  return bytes.subarray(start, end).toString('utf8')
}

export function lengthOf(item: Value): bigint {
  if (typeof item === 'string') return BigInt(Buffer.byteLength(item))
  if (typeof item === 'object') return BigInt(item.size)
  throw failure(`${typeName(item)} has no length`)
}

/** A field of the data; one that is not in it is empty. */
export function fieldOf(receiver: Value, name: string, missing: 'empty' | 'error'): string | undefined {
  if (receiver === undefined) {
    if (missing === 'error') throw failure(`.${name} has no value`)
    return undefined
  }
  if (typeof receiver !== 'object') throw failure(`${typeName(receiver)} has no field .${name}`)
  return receiver.get(name) ?? missingField(receiver, name, missing)
}

function missingField(data: TemplateData, name: string, missing: 'empty' | 'error'): string {
  if (missing === 'empty') return ''
  throw failure(`.${name} is not known; known are ${[...data.keys()].sort().join(', ')}`)
}

function place(index: Value, last: number): number {
  if (typeof index !== 'bigint') throw failure(`${typeName(index)} is not a place in a text`)
  if (index < 0n || index > BigInt(last)) throw failure(`there is no place ${index}`)
  return Number(index)
}
