import type { RedactionStream, Redactor } from '../../core/redact.ts'
import { Ring } from '../../core/ring.ts'
import type { CommandOutput } from '../protocol/session.ts'

/** What one stream of a command printed last. */
class KeptStream {
  readonly #redaction: RedactionStream
  readonly #ring: Ring

  constructor(
    bytes: number,
    redactor: Redactor,
    private readonly all: Ring,
  ) {
    this.#redaction = redactor.createStream()
    this.#ring = new Ring(bytes)
  }

  get text(): string {
    return Buffer.from(this.#ring.read(this.#ring.oldest, this.#ring.capacity))
      .toString('utf8')
      .replaceAll('\uFFFD', '')
  }

  get isCut(): boolean {
    return this.#ring.oldest > 0
  }

  /** Returns what may be shown of it now. */
  push(bytes: Uint8Array): Uint8Array {
    return this.#keep(this.#redaction.push(bytes))
  }

  /** Nothing more is printed: what may have been the beginning of a secret is none. Returns that. */
  end(): Uint8Array {
    return this.#keep(this.#redaction.flush())
  }

  #keep(bytes: Uint8Array): Uint8Array {
    this.#ring.push(bytes)
    this.all.push(bytes)
    return bytes
  }
}

/** What a command prints, the last bytes of each stream and of both as they came. Secrets are struck out. */
export class KeptOutput {
  readonly ring: Ring
  readonly stdout: KeptStream
  readonly stderr: KeptStream

  constructor(bytes: number, redactor: Redactor) {
    this.ring = new Ring(bytes)
    this.stdout = new KeptStream(bytes, redactor, this.ring)
    this.stderr = new KeptStream(bytes, redactor, this.ring)
  }

  /** The last bytes of both. */
  get text(): string {
    return Buffer.from(this.ring.read(this.ring.oldest, this.ring.capacity)).toString('utf8').replaceAll('\uFFFD', '')
  }

  get streams(): CommandOutput {
    const { stdout, stderr } = this
    return { stdout: stdout.text, stderr: stderr.text, truncated: stdout.isCut || stderr.isCut }
  }
}
