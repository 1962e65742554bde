import { stablePlan } from '../../core/stable-plan.ts'
import type { Statement } from '../../core/statement.ts'
import type { Store } from '../../core/store.ts'
import type { KeyHolder } from '../agents/keys.ts'
import type { SignedRequest } from './components.ts'
import { checkCoverage } from './coverage.ts'
import { invalidSignature } from './errors.ts'
import { isSignedWith } from './public-key.ts'
import { type ReceivedSignature, receivedSignatures } from './received-signature.ts'
import { signatureBase } from './signature-base.ts'
import type { UsedSignatures } from './used-signatures.ts'

interface Signer extends KeyHolder {
  public_key: string
}

/** Finds out which agent signed a request (RFC 9421). */
export class RequestSignatures {
  readonly #signer: Statement<Signer, [string]>

  constructor(
    store: Store,
    private readonly used: UsedSignatures,
  ) {
    this.#signer = store.prepare(
      stablePlan(`SELECT a.n, a.id, a.name, k.id AS key_id, a.claimed_at, a.suspended_at, a.suspended_until, a.suspended_for,
         a.suspended_by, k.public_key
       FROM signing_keys k JOIN agents a ON a.n = k.agent WHERE k.id = ? AND a.deleted_at IS NULL`),
    )
  }

  /**
   * The agent that signed a request; throws what is wrong with its signature. Whether one that is valid was used before
   * is asked only where `mayUse` its agent: each use is a write.
   */
  async signerOf(request: SignedRequest, mayUse: (signer: KeyHolder) => boolean): Promise<KeyHolder> {
    if (request.headers.has('authorization'))
      throw invalidSignature('there is an Authorization header, too; send one of them')
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
      const signer = this.#signer.get(signature.keyId)
      if (signer) return { signature, signer }
    }
    throw invalidSignature('no agent has registered this keyid')
  }
}
