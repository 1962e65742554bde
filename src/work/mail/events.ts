import { defineEvent } from '../../core/events/index.ts'
import { MailEventPayload } from './schema.ts'

export const MailSent = defineEvent('mail.sent', MailEventPayload, 'A message was sent.')
export const MailReplied = defineEvent('mail.replied', MailEventPayload, 'A reply was sent.')
export const MailRead = defineEvent('mail.read', MailEventPayload, 'A message was read.')
export const MailMarkedRead = defineEvent('mail.marked_read', MailEventPayload, 'A message was marked as read.')
export const MailMarkedUnread = defineEvent('mail.marked_unread', MailEventPayload, 'A message was marked as unread.')
export const MailArchived = defineEvent('mail.archived', MailEventPayload, 'A message was archived.')
export const MailDeleted = defineEvent('mail.deleted', MailEventPayload, 'A message was deleted.')
