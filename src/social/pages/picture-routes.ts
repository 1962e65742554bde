import type { Pictures } from '../communities/index.ts'
import { type PageRoute, page } from '../html/index.ts'
import { PICTURES_PATH } from '../shared/index.ts'

/** A picture never changes under its name. */
const PICTURE_HEADERS = { 'content-type': 'image/webp', 'cache-control': 'public, max-age=31536000, immutable' }

/** The files of the pictures. */
export const pictureRoutes = ({ pictures }: { readonly pictures: Pictures }): PageRoute[] => [
  page(`GET ${PICTURES_PATH}/{name}`, async ({ params: { name = '' } }) => {
    const bytes = await pictures.read(name)
    return new Response(bytes, { headers: PICTURE_HEADERS })
  }),
]
