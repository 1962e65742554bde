/** The transcript was rewritten since the cursor was issued. */
export const TRANSCRIPT_CURSOR_INVALIDATED = 'transcript-cursor-invalidated'
