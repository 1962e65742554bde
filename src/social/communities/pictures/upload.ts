import { badRequest } from '../../shared/index.ts'

/** A file that was sent, with the other fields of its form. */
export interface Upload {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly fields: Readonly<Record<string, string>>
}

const HOW = 'Send it as the field `file` of a multipart form: curl -F file=@picture.png'

/** Reads a picture from a multipart form, where it is the field `file` or the only file, or from a body that is the picture itself. */
export async function parseUpload(type: string | null, body: Uint8Array): Promise<Upload> {
  const bytes = new Uint8Array(body)
  if (bytes.length === 0) throw badRequest('There is no picture in this request', HOW)
  const media = type?.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (/^image\//.test(media)) return { bytes, fields: {} }
  if (media !== 'multipart/form-data') throw badRequest('A picture is sent as a multipart form', HOW)
  const form = await new Response(bytes, { headers: { 'content-type': type ?? '' } }).formData().catch(() => undefined)
  const file = form?.get('file') ?? onlyFileOf([...(form?.values() ?? [])])
  if (!form || !(file instanceof Blob)) throw badRequest('There is no picture in the field `file` of this form', HOW)
  const fields = [...form].flatMap(([name, value]) => (typeof value === 'string' ? [[name, value] as const] : []))
  return { bytes: await file.bytes(), fields: Object.fromEntries(fields) }
}

/** The file among the values of a form that has one, whatever its field is called. */
function onlyFileOf<Value>(values: readonly Value[]): Value | undefined {
  const files = values.filter((value) => value instanceof Blob)
  return files.length === 1 ? files[0] : undefined
}
