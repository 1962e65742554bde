import { fenceText } from '../../config/providers/index.ts'

/** Text of others as data for a turn: what looks like a tag is kept, in a form that opens none. */
export const quoteData = (text: string, from: string, nonce: string): string =>
  fenceText(text.replace(/<(?=[/!?A-Za-z])/g, '‹'), from, nonce)
