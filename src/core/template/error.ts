/** Reason a template was not rendered: it cannot be read, it failed while it ran, or it asked for too much. */
export type TemplateErrorKind = 'syntax' | 'execution' | 'limit'

/** Error in a template, with its position. */
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
