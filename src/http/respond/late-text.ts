/** Bun sends the head of a late response together with a shorter text. */
const SENT_TOGETHER = 15 * 1024

/** Maximum bytes of a character, and more than what any text leaves free. */
const BYTES_PER_CHARACTER = 3
const MARGIN = 1024

/**
 * The text of a response that is not returned within the call of its handler. Bun sends such a head in some thirty
 * writes, name by name, if the text is large. It sends a stream that ends before its buffer is full in one, with the same
 * `Content-Length`.
 */
export function lateText(text: string): string | ReadableStream<Uint8Array> {
  if (text.length < SENT_TOGETHER) return text
  return new ReadableStream<Uint8Array>(
    {
      type: 'direct',
      pull(controller) {
        controller.write(text)
        controller.end()
      },
    },
    { highWaterMark: text.length * BYTES_PER_CHARACTER + MARGIN },
  )
}
