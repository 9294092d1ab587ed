import { builder } from '../builder.ts'
import { Node } from './node.ts'

export const Image = builder.prismaObject('Image', {
  interfaces: [Node],
  fields: (t) => ({
    originalUrl: t.exposeString('originalUrl'),
    cdnUrl: t.exposeString('cdnUrl'),
    thumbnailSmallUrl: t.exposeString('thumbnailSmallUrl'),
    thumbnailMediumUrl: t.exposeString('thumbnailMediumUrl'),
    thumbnailLargeUrl: t.exposeString('thumbnailLargeUrl'),
    altText: t.exposeString('altText'),
    sortOrder: t.exposeInt('sortOrder'),
    isPrimary: t.exposeBoolean('isPrimary'),
  }),
})
