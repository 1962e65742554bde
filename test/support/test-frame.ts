/** A server-sent event. */
export interface TestFrame {
  id?: string
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: frames carry every shape there is
  data: any
}

export function parseFrame(block: string): TestFrame {
  const lines = block.split('\n')
  const value = (name: string) => lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2)
  const id = value('id')
  return {
    event: value('event') ?? 'message',
    data: JSON.parse(value('data') ?? 'null'),
    ...(id !== undefined && { id }),
  }
}
