import { AppError } from '../../core/errors.ts'

/** The most that a field may have, in characters. */
const MAX_NAME = 512
const MAX_TEXT = 64 * 1024
const MAX_URL = 2048
const MAX_ATTACHMENTS = 32
/** The most that metadata may have as JSON. */
const MAX_METADATA = 64 * 1024

export type InputCode = 'invalid-request' | 'validation-failed'

const tooLong = (code: InputCode, field: string, most: number) =>
  new AppError(code, `${field} has more than ${most} characters; shorten it`)

export function checkName(field: string, value: string | undefined, code: InputCode): void {
  if (value !== undefined && value.length > MAX_NAME) throw tooLong(code, field, MAX_NAME)
}

export function checkText(field: string, value: string, code: InputCode): void {
  if (value.length > MAX_TEXT) throw tooLong(code, field, MAX_TEXT)
}

export function checkMetadata(metadata: Readonly<Record<string, string>> | undefined, code: InputCode): void {
  if (metadata && JSON.stringify(metadata).length > MAX_METADATA) throw tooLong(code, 'metadata', MAX_METADATA)
}

export function checkAttachments(
  attachments: readonly { provider_id: string; url: string; mime_type: string }[] | null | undefined,
  code: InputCode,
): void {
  if (!attachments) return
  if (attachments.length > MAX_ATTACHMENTS) {
    throw new AppError(code, `attachments has more than ${MAX_ATTACHMENTS} items; leave some out`)
  }
  for (const { provider_id, url, mime_type } of attachments) {
    checkName('provider_id', provider_id, code)
    checkName('mime_type', mime_type, code)
    if (url.length > MAX_URL) throw tooLong(code, 'url', MAX_URL)
  }
}
