import { pipeline, Readable } from 'node:stream'
import { createGzip } from 'node:zlib'
import { type TarSource, writeTar } from './write-tar.ts'

/** A gzipped tar file of these files; `onEnd` runs when it was read to its end, and with an error when that failed. */
export function gzipTar(
  sources: Iterable<TarSource>,
  onEnd: (error?: Error | null) => void,
): ReadableStream<Uint8Array> {
  const tar = Readable.from(writeTar(sources))
  const gzip = createGzip()
  // The reader of the last stream gets the error of any.
  pipeline(tar, gzip, onEnd)
  const chunks: AsyncIterator<Uint8Array> = gzip[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void gzip.destroy(),
  })
}
