export { Mail } from './mail.ts'
export { mailRoutes } from './routes.ts'
export type { MailReplyInputBody, Message } from './schema.ts'
