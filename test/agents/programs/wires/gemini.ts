import { type ModelRequest, type Piece, said, splitPieces, stream, TAKEN, type Wire } from './wire.ts'

interface Part {
  text?: string
  functionResponse?: { response?: { output?: string; error?: string } }
}

interface GeminiRequest {
  contents: { role?: string; parts: Part[] }[]
  tools?: { functionDeclarations?: { name: string }[] }[]
}

/** Tool results are sent with the user role, in a message without other text. */
function pieces({ role, parts }: GeminiRequest['contents'][number]): Piece[] {
  if (role !== 'user') return []
  const given = parts.flatMap(({ functionResponse }) => functionResponse ?? [])
  if (given.length === 0) return [{ by: 'user', text: parts.map(({ text }) => text ?? '').join('') }]
  return given.map(({ response }) => ({ by: 'tool', text: response?.output ?? response?.error ?? '' }))
}

const PATH = /^\/v1beta\/models\/([^:]+):(generateContent|streamGenerateContent)$/

/** Gemini's generative language API. */
export const gemini: Wire = {
  fits: (path) => PATH.test(path),
  parseRequest(body, path): ModelRequest {
    const [, model = '', method] = PATH.exec(path) ?? []
    const { contents, tools } = body as GeminiRequest
    const names = (tools ?? []).flatMap(({ functionDeclarations }) =>
      (functionDeclarations ?? []).map(({ name }) => name),
    )
    return { model, stream: method !== 'generateContent', tools: names, ...splitPieces(contents.flatMap(pieces)) }
  },
  answer(reply, { model, stream: streamed }, count) {
    const text = said(reply)
    const parts = [
      ...(text === undefined ? [] : [{ text }]),
      ...('text' in reply ? [] : [{ functionCall: { name: reply.tool, args: reply.input } }]),
    ]
    const chunk = {
      candidates: [{ index: 0, content: { role: 'model', parts }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: TAKEN.input,
        candidatesTokenCount: TAKEN.output,
        totalTokenCount: TAKEN.input + TAKEN.output,
      },
      modelVersion: model,
      responseId: `resp-${count}`,
    }
    return streamed ? stream([`data: ${JSON.stringify(chunk)}\n\n`]) : Response.json(chunk)
  },
}
