import { event } from '../../core/events/event.ts'
import { MailEventPayload } from './schema.ts'

export const MailSent = event('mail.sent', MailEventPayload, 'A message was sent.')
export const MailReplied = event('mail.replied', MailEventPayload, 'A message was answered.')
export const MailRead = event('mail.read', MailEventPayload, 'A message was read.')
export const MailMarkedRead = event('mail.marked_read', MailEventPayload, 'A message was marked as read.')
export const MailMarkedUnread = event('mail.marked_unread', MailEventPayload, 'A message was marked as not read.')
export const MailArchived = event('mail.archived', MailEventPayload, 'A message was archived.')
export const MailDeleted = event('mail.deleted', MailEventPayload, 'A message was deleted.')
