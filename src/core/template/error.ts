/** Why a template was not rendered: it cannot be read, it failed while it ran, or it asked for too much. */
export type TemplateErrorKind = 'syntax' | 'execution' | 'limit'

/** What is wrong with a template, and where. */
export class TemplateError extends Error {
  override readonly name = 'TemplateError'

  constructor(
    message: string,
    readonly line: number,
    readonly kind: TemplateErrorKind = 'execution',
  ) {
    super(message)
  }
}
