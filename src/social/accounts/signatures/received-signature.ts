import { type BareItem, type Dictionary, type InnerList, parseDictionary } from 'structured-headers'
import { invalidSignature } from './errors.ts'

/** One signature of a request, as its two headers state it. */
export interface ReceivedSignature {
  readonly covered: InnerList
  readonly keyId: string
  /** In seconds. */
  readonly created: number
  readonly expires: number | undefined
  readonly nonce: string | undefined
  readonly bytes: Uint8Array
}

const MAX_SIGNATURES = 4
const MAX_COMPONENTS = 30
const MAX_TEXT = 256

/** True if somebody signed a request. */
export const isSigned = ({ headers }: Request): boolean => headers.has('signature-input') || headers.has('signature')

/** The signatures of a request; proxies may have added theirs. Throws for headers that cannot be read. */
export function receivedSignatures(headers: Headers): ReceivedSignature[] {
  const inputs = dictionaryOf(headers, 'signature-input')
  const signatures = dictionaryOf(headers, 'signature')
  if (inputs.size === 0) throw invalidSignature('Signature-Input has none')
  if (inputs.size > MAX_SIGNATURES) throw invalidSignature(`there are more than ${MAX_SIGNATURES}`)
  return [...inputs].map(([label, covered]) => {
    const bytes = signatures.get(label)?.[0]
    if (!(bytes instanceof ArrayBuffer)) throw invalidSignature('a label of Signature-Input has no bytes in Signature')
    if (!isInnerList(covered)) throw invalidSignature('Signature-Input does not list the covered components')
    return toSignature(covered, new Uint8Array(bytes))
  })
}

function dictionaryOf(headers: Headers, name: string): Dictionary {
  try {
    return parseDictionary(headers.get(name) ?? '')
  } catch {
    throw invalidSignature(`the header ${name} is not a structured field`)
  }
}

const isInnerList = (member: InnerList | [BareItem, unknown]): member is InnerList => Array.isArray(member[0])

function toSignature(covered: InnerList, bytes: Uint8Array): ReceivedSignature {
  const [components, parameters] = covered
  if (components.length > MAX_COMPONENTS) throw invalidSignature('it covers too many components')
  const algorithm = parameters.get('alg')
  if (algorithm !== undefined && algorithm !== 'ed25519') throw invalidSignature('the algorithm must be ed25519')
  const keyId = textOf(parameters, 'keyid')
  if (keyId === undefined) throw invalidSignature('keyid is missing')
  const created = secondsOf(parameters, 'created')
  if (created === undefined) throw invalidSignature('created is missing')
  const expires = secondsOf(parameters, 'expires')
  return { covered, keyId, created, expires, nonce: textOf(parameters, 'nonce'), bytes }
}

function textOf(parameters: ReadonlyMap<string, BareItem>, name: string): string | undefined {
  const value = parameters.get(name)
  if (value === undefined || (typeof value === 'string' && value.length <= MAX_TEXT)) return value
  throw invalidSignature(`${name} must be a string of at most ${MAX_TEXT} characters`)
}

function secondsOf(parameters: ReadonlyMap<string, BareItem>, name: string): number | undefined {
  const value = parameters.get(name)
  if (value === undefined || (typeof value === 'number' && Number.isSafeInteger(value))) return value
  throw invalidSignature(`${name} must be a Unix time in seconds`)
}
