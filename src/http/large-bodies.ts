import { AppError } from '../core/errors.ts'

/** Lets one body at a time be longer than others may be: it stays in memory until its request is answered. */
export class LargeBodies {
  #isTaken = false

  constructor(
    /** How long any body may be, in bytes. */
    private readonly limit: number,
  ) {}

  /** Admits the body of a request; returns what runs once the request is answered. Throws while another is under way. */
  admit(request: Request): () => void {
    const announced = request.headers.get('content-length')
    if (announced !== null && Number(announced) <= this.limit) return () => {}
    if (this.#isTaken) throw busy()
    this.#isTaken = true
    return () => {
      this.#isTaken = false
    }
  }
}

const busy = (): AppError =>
  new AppError('service-unavailable', 'another request with a large body is under way; send this one again after it', {
    headers: { 'retry-after': '2' },
  })
