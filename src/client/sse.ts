import { parseJson } from './json.ts'

/** A server-sent event with its data parsed. */
export interface ReceivedFrame {
  id?: string
  event: string
  data: unknown
}

/** Splits a byte stream into server-sent events; skips a frame without data. */
export async function* parseFrames(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<ReceivedFrame> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const chunk of bytes) {
    const blocks = (rest + decoder.decode(chunk, { stream: true })).split(/\r?\n\r?\n/)
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      const frame = parseFrame(block)
      if (frame) yield frame
    }
  }
}

function parseFrame(block: string): ReceivedFrame | undefined {
  const data: string[] = []
  let event = 'message'
  let id: string | undefined
  for (const line of block.split(/\r?\n/)) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (name === 'data') data.push(value)
    if (name === 'event') event = value
    if (name === 'id') id = value
  }
  if (data.length === 0) return undefined
  const text = data.join('\n')
  return { event, data: parseJson(text) ?? text, ...(id !== undefined && { id }) }
}
