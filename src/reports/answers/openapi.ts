import { z } from 'zod'
import { schemas } from '../schemas.ts'
import { pathsOf } from './openapi-paths.ts'

/** Differences between two sites' documents. */
export interface DocumentOptions {
  readonly contact: string
  readonly systemName: string
  readonly limits: { readonly limit: number; readonly limit_visits: number; readonly limit_unchanged: number }
}

/** The OpenAPI 3.1 document of the partner API, made from the schemas that its answers have. */
export const createDocument = (options: DocumentOptions): ((base: string) => object) => {
  const named = schemasOf()
  const paths = pathsOf()
  return (base) => ({
    openapi: '3.1.0',
    info: {
      title: `Website index: sites that run ${options.systemName}`,
      version: '1',
      description: [
        'List, add, inspect, refresh, illustrate and delete your own websites in the index.',
        'Every request carries your key in X-API-KEY. Keys are issued on request to registered partners.',
        'Caches are flushed every full hour, UTC: other people’s changes can take that long to show; your own show at once.',
        `Limits per minute and key: ${options.limits.limit_visits} requests that make us visit a website, ${options.limits.limit_unchanged} that are answered with 304, and ${options.limits.limit} others.`,
      ].join('\n\n'),
      contact:
        options.contact.includes('@') && !options.contact.includes('://')
          ? { email: options.contact.replace(/^mailto:/, '') }
          : { url: options.contact },
    },
    servers: [{ url: base }],
    security: [{ apiKey: [] }],
    paths,
    components: {
      securitySchemes: { apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' } },
      schemas: named,
    },
  })
}

/** Every schema of the API's answers, by its name in a document. */
export const schemasOf = (): Record<string, object> => {
  const made = z.toJSONSchema(schemas, { io: 'output', uri: (id) => `#/components/schemas/${id}` })
  return Object.fromEntries(
    // Their place in the document names them.
    Object.entries(made.schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  )
}
