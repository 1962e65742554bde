import { type InnerList, serializeInnerList, serializeItem } from 'structured-headers'
import { componentLine, type SignedRequest } from './components.ts'
import { invalidSignature } from './errors.ts'

/** The text that is signed (RFC 9421 §2.5). */
export function signatureBase(covered: InnerList, request: SignedRequest): string {
  const [components] = covered
  const names = new Set(components.map((item) => serializeItem(item)))
  if (names.size < components.length) throw invalidSignature('a component is covered twice')
  const lines = components.map((item) => componentLine(item, request))
  return [...lines, `"@signature-params": ${serializeInnerList(covered)}`].join('\n')
}
