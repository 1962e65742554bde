const HTML: Readonly<Record<string, string>> = {
  ...{ '\0': '\uFFFD', '"': '&#34;', "'": '&#39;', '&': '&amp;', '<': '&lt;', '>': '&gt;' },
}

export const escapeHtml = (text: string): string => text.replace(/["'&<>\p{Cc}]/gu, (char) => HTML[char] ?? char)

const JS: Readonly<Record<string, string>> = {
  ...{ '\\': '\\\\', "'": "\\'", '"': '\\"', '<': '\\u003C', '>': '\\u003E', '&': '\\u0026', '=': '\\u003D' },
}
const PRINTABLE = /[\p{L}\p{M}\p{N}\p{P}\p{S}]/u
const HEX = 16

/** A text for use inside a string of JavaScript. */
export const escapeJs = (text: string): string =>
  text.replace(/[\\'"<>&=\p{Cc}]|[^\p{ASCII}]/gu, (char) => {
    const named = JS[char]
    if (named !== undefined) return named
    const code = char.codePointAt(0) ?? 0
    if (code === 0x7f || (code > 0x7f && PRINTABLE.test(char))) return char
    return `\\u${code.toString(HEX).toUpperCase().padStart(4, '0')}`
  })

/** A text for use in the query of a URL. */
export const escapeQuery = (text: string): string =>
  encodeURIComponent(text.toWellFormed())
    .replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(HEX).toUpperCase()}`)
    .replaceAll('%20', '+')
