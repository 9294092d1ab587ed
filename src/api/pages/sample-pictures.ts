import { readdirSync, readFileSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { addRoute } from '../../gateway/http.ts'
import { ResponseBody, sendCacheable } from '../../gateway/reply.ts'

/*
 * The pictures of the sample datasets: drawings made for this project, under its licence.
 */

const FOLDER = new URL('../../sample/pictures/', import.meta.url)

/** Adds a route for each picture, /sample/NAME.svg. They are public: a page shows them in an <img>, which sends no key. */
export function addSamplePictureRoutes(app: FastifyInstance): void {
  for (const name of readdirSync(FOLDER)) {
    const body = new ResponseBody(readFileSync(new URL(name, FOLDER)), 'image/svg+xml')
    addRoute(app, {
      path: `/sample/${name}`,
      handler: (request, reply) => sendCacheable(request, reply, body),
    })
  }
}
