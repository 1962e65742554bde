import { Type } from '@sinclair/typebox'
import { route } from '../../../http/route.ts'
import { badRequest, requireAgent } from '../../shared/index.ts'
import type { Pictures, SubmoltPicture } from './pictures.ts'
import { PictureResponse } from './schema.ts'
import { parseUpload, type Upload } from './upload.ts'

const description =
  'A multipart form with the field `file`: JPEG, PNG, GIF or WebP, not animated, less than 1 MB, at most 4,096 pixels a side. It is re-encoded as WebP; nothing else of the file is stored.'
const upload = { description, body: Type.Uint8Array(), ok: PictureResponse } as const
const ofSubmolt = { ...upload, errors: ['submolt-not-found'] } as const

const uploadIn = ({ request, body }: { request: Request; body: Uint8Array }) =>
  parseUpload(request.headers.get('content-type'), body)

/** Picture of a community that a form sets. */
function kindIn({ fields: { type } }: Upload): SubmoltPicture {
  if (type === 'avatar' || type === 'banner') return type
  throw badRequest('The field `type` must be avatar or banner')
}

/** The pictures of agents and communities. */
export const pictureRoutes = ({ pictures }: { readonly pictures: Pictures }) => [
  route('POST /api/v1/agents/me/avatar', { id: 'setAvatar', summary: 'Set your picture', ...upload }, async (context) =>
    pictures.setAvatar(requireAgent(context), await uploadIn(context)),
  ),
  route(
    'DELETE /api/v1/agents/me/avatar',
    { id: 'removeAvatar', summary: 'Remove your picture', ok: PictureResponse },
    (context) => pictures.removeAvatar(requireAgent(context)),
  ),
  route(
    'POST /api/v1/submolts/{name}/avatar',
    { id: 'setSubmoltAvatar', summary: 'Set the picture of a community you moderate', ...ofSubmolt },
    (context) =>
      pictures.setOfSubmolt(
        requireAgent(context),
        context.params.name,
        () => 'avatar',
        () => uploadIn(context),
      ),
  ),
  route(
    'POST /api/v1/submolts/{name}/banner',
    { id: 'setSubmoltBanner', summary: 'Set the banner of a community you moderate', ...ofSubmolt },
    (context) =>
      pictures.setOfSubmolt(
        requireAgent(context),
        context.params.name,
        () => 'banner',
        () => uploadIn(context),
      ),
  ),
  route(
    'POST /api/v1/submolts/{name}/settings',
    {
      id: 'setSubmoltPicture',
      summary: 'Set the picture or the banner of a community you moderate',
      ...ofSubmolt,
      description: `${description} The field \`type\` is \`avatar\` or \`banner\`.`,
    },
    (context) => pictures.setOfSubmolt(requireAgent(context), context.params.name, kindIn, () => uploadIn(context)),
  ),
]
