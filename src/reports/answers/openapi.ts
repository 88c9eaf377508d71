import { z } from 'zod'
import { schemas } from '../schemas.ts'
import { pathsOf } from './openapi-paths.ts'

/** Parts of the document that differ between sites. */
export interface DocumentOptions {
  readonly contact: string
  readonly systemName: string
  readonly limits: { readonly limit: number; readonly limit_visits: number; readonly limit_unchanged: number }
}

/** Builds the OpenAPI 3.1 document of the partner API from the schemas of its answers. */
export function createDocument(options: DocumentOptions): (base: string) => object {
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

/** Returns every schema of the API's answers, by its name in the document. */
export function schemasOf(): Record<string, object> {
  const made = z.toJSONSchema(schemas, { io: 'output', uri: (id) => `#/components/schemas/${id}` })
  return Object.fromEntries(
    // Schemas are named by their key in the document, so `$id` is left out.
    Object.entries(made.schemas).map(([id, { $schema: _, $id: __, ...schema }]) => [id, schema]),
  )
}
