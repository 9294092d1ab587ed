import { builder } from './builder.ts'
import './types/scalars.ts'
import './types/dataset.ts'
import './types/item.ts'
import './types/connection.ts'
import './types/nearby.ts'
import './types/node.ts'
import './types/image.ts'

/** The one schema, behind /graphql and behind each /v1 route. */
export const schema = builder.toSchema()
