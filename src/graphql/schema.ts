import { builder } from './builder.ts'
import './scalars.ts'
import './dataset.ts'
import './item.ts'
import './connection.ts'
import './nearby.ts'
import './node.ts'
import './image.ts'

/** The one schema, behind /graphql and behind each /v1 route. */
export const schema = builder.toSchema()
