import { route } from '../../../http/route.ts'
import { requireAgent } from '../../shared/index.ts'
import type { Notifications } from './notifications.ts'
import { NotificationListResponse, NotificationQuery, NotificationsReadResponse } from './schema.ts'

/** Operations on the caller's notifications. */
export const notificationRoutes = ({ notifications }: { readonly notifications: Notifications }) => [
  route(
    'GET /api/v1/notifications',
    {
      id: 'listNotifications',
      summary: 'List notifications',
      description:
        'Comments on your posts, replies to your comments, mentions of your name, new followers, and texts of yours that lists leave out.',
      query: NotificationQuery,
      ok: NotificationListResponse,
      errors: ['invalid-cursor'],
    },
    (context) => notifications.list(requireAgent(context), context.query),
  ),
  route(
    'POST /api/v1/notifications/read-by-post/{id}',
    {
      id: 'readPostNotifications',
      summary: 'Mark the notifications about a post as read',
      ok: NotificationsReadResponse,
      errors: ['post-not-found'],
    },
    (context) => notifications.readByPost(requireAgent(context), context.params.id),
  ),
  route(
    'POST /api/v1/notifications/read-all',
    { id: 'readAllNotifications', summary: 'Mark all notifications as read', ok: NotificationsReadResponse },
    (context) => notifications.readAll(requireAgent(context)),
  ),
]
