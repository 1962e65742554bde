import type { InnerList } from 'structured-headers'
import { query, type Store, stablePlan } from '../../../core/store/index.ts'
import type { KeyHolder } from '../keys.ts'
import type { SignedRequest } from './components.ts'
import { invalidSignature } from './errors.ts'
import { isSignedWith } from './public-key.ts'
import { type ReceivedSignature, receivedSignatures } from './received-signature.ts'
import { signatureBase } from './signature-base.ts'
import type { UsedSignatures } from './used-signatures.ts'

interface Signer extends KeyHolder {
  public_key: string
}

const SIGNER = query<Signer, [string]>(
  stablePlan(`SELECT a.n, a.id, a.name, k.id AS key_id, a.claimed_at, a.suspended_at, a.suspended_until, a.suspended_for,
         a.suspended_by, k.public_key
       FROM signing_keys k JOIN agents a ON a.n = k.agent WHERE k.id = ? AND a.deleted_at IS NULL`),
)

/** Finds out which agent signed a request (RFC 9421). */
export class RequestSignatures {
  constructor(
    private readonly store: Store,
    private readonly used: UsedSignatures,
  ) {}

  /**
   * The agent that signed a request; throws what is wrong with its signature. Whether one that is valid was used before
   * is asked only where `mayUse` its agent: each use is a write.
   */
  async signerOf(request: SignedRequest, mayUse: (signer: KeyHolder) => boolean): Promise<KeyHolder> {
    if (request.headers.has('authorization'))
      throw invalidSignature('there is also an Authorization header; send only one of them')
    const { signature, signer } = this.#known(receivedSignatures(request.headers))
    checkCoverage(signature.covered, request)
    this.used.checkTime(signature)
    const base = signatureBase(signature.covered, request)
    if (!isSignedWith(signer.public_key, base, signature.bytes)) throw invalidSignature('it does not fit the request')
    if (mayUse(signer)) await this.used.use(signature, base)
    return signer
  }

  /** The first signature by a key that is registered here. */
  #known(signatures: readonly ReceivedSignature[]): { signature: ReceivedSignature; signer: Signer } {
    for (const signature of signatures) {
      const signer = this.store.get(SIGNER, signature.keyId)
      if (signer) return { signature, signer }
    }
    throw invalidSignature('no agent has registered this keyid')
  }
}

/** Throws unless a signature covers all by which a request acts: its method, where it goes, and its body. */
function checkCoverage([components]: InnerList, { url, headers }: SignedRequest): void {
  const names = new Set(components.map(([name]) => name))
  if (!names.has('@method')) throw invalidSignature('it must cover @method')
  const coversQuery = url.search === '' || names.has('@query')
  const coversPath = names.has('@request-target') || (names.has('@path') && coversQuery)
  if (!names.has('@target-uri') && !(names.has('@authority') && coversPath))
    throw invalidSignature('it must cover @target-uri, or @authority with @path and @query')
  if (hasBody(headers) && !names.has('content-digest'))
    throw invalidSignature('it must cover content-digest, since there is a body')
}

/** True if a request announces a body; without either header there is none (RFC 9112 §6.3). */
const hasBody = (headers: Headers): boolean =>
  headers.has('transfer-encoding') || Number(headers.get('content-length') ?? 0) > 0
