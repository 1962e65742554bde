export { hashToken, redactLine, redactTokens, TOKEN_PREFIX, TOKEN_PREFIXES } from './credentials.ts'
export { EscapeParser } from './escape-parser.ts'
export { isNestedTooDeep, MAX_JSON_DEPTH, MAX_WRITTEN_DEPTH } from './json-depth.ts'
export { withoutLoneSurrogates } from './json-surrogates.ts'
export { lastSegment } from './last-segment.ts'
export { byKey, compareText } from './order.ts'
export { type RedactionStream, Redactor } from './redact.ts'
export { matchAllTerms, matchTermPrefixes, parseSearchTerms } from './search-terms.ts'
export { SecretValues } from './secret-values.ts'
export {
  blankSecrets,
  blankSentence,
  isSecretName,
  isSecretTable,
  looksSecret,
  rejectMarkers,
  replaceSecrets,
  restoreSecrets,
  SECRET_FORMATS,
  SECRET_MARKER,
} from './secrets.ts'
export { shellQuote } from './shell-quote.ts'
