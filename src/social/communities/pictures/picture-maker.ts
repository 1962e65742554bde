import type { Deadlines } from '../../../core/deadlines.ts'
import { JobWorker } from '../../../core/job-worker.ts'
import { badRequest } from '../../shared/index.ts'
import { type PictureHeader, readHeader } from './header.ts'

/** A picture to make again in a size. */
export interface PictureJob {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly width: number
  readonly height: number
}

/** Sizes of pictures of each kind. */
export const PICTURE_SIZES = {
  avatar: { width: 256, height: 256 },
  banner: { width: 1_200, height: 300 },
} as const

const TIME_LIMIT = 5_000
const MAX_SIDE = 4_096
/** Pixels that are decoded at most: 64 MB of memory. */
const MAX_PIXELS = 16 * 1024 * 1024

/** The worker program, from the root of the source: in a bundle it is found there, otherwise beside this module. */
const PROGRAM = 'src/social/communities/pictures/picture.worker.ts'
const workerUrl = (): URL => {
  const bundled = import.meta.url.includes('$bunfs') || import.meta.url.includes('~BUN')
  return new URL(bundled ? `./${PROGRAM}` : './picture.worker.ts', import.meta.url)
}

/**
 * Decodes pictures and encodes them again, in a thread of its own and one at a time: nothing else of the file is left.
 */
export class PictureMaker {
  readonly #worker: JobWorker<PictureJob, Uint8Array | undefined>

  constructor(deadlines: Deadlines) {
    this.#worker = new JobWorker({ deadlines, limit: TIME_LIMIT, start: () => new Worker(workerUrl()) })
  }

  /** A picture as WebP in the size of its kind; throws what is wrong with it. */
  async make(bytes: Uint8Array<ArrayBuffer>, kind: keyof typeof PICTURE_SIZES): Promise<Uint8Array> {
    checkHeader(readHeader(bytes))
    const made = await this.#worker.run({ bytes, ...PICTURE_SIZES[kind] })
    if (!made)
      throw badRequest(
        'This picture cannot be read: it is damaged, cut off, or too much work',
        'Save it again as PNG or JPEG.',
      )
    return made
  }

  stop(): void {
    this.#worker.stop()
  }
}

function checkHeader(header: PictureHeader | undefined): void {
  if (!header) throw badRequest('This is not a picture that can be read here', 'Send a JPEG, PNG, GIF or WebP file.')
  const { width, height, isAnimated } = header
  if (width < 1 || height < 1) throw badRequest('This picture has no size')
  if (width > MAX_SIDE || height > MAX_SIDE || width * height > MAX_PIXELS) {
    throw badRequest(`This picture has ${width} × ${height} pixels; ${MAX_SIDE} × ${MAX_SIDE} is the maximum`)
  }
  if (isAnimated) throw badRequest('Animated pictures are not shown here', 'Send one picture of it.')
}
