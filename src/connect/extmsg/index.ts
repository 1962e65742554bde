export { ExternalMessages } from './external-messages.ts'
export type { ConversationTranscriptRecord, ConversationView, PublishReceipt } from './message-schema.ts'
export { externalMessageRoutes } from './routes.ts'
export type { ConversationRef, SessionBindingRecord } from './schema.ts'
