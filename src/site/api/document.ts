import { z } from 'zod'
import { subscriptionSchema } from '../../core/dto/index.ts'
import type { Route } from '../../core/http/route-access.ts'
import { indexPaths, indexSchemas } from '../../reports/index.ts'
import { type Operation, operations } from './operations.ts'
import { outgoingEventSchemas } from './outgoing-events.ts'

/**
 * Builds the OpenAPI 3.1 document of every route, as `GET /membership/openapi.json` answers it.
 * @throws Error for a route without a description
 */
export function createDocument(listing: readonly Route[], base = ''): object {
  const paths: Record<string, Record<string, object>> = {}
  for (const route of listing.filter(({ method }) => method !== '*')) {
    // In OpenAPI, two routes of the same shape are one path, even when their parameters have different names.
    const path = Object.keys(paths).find((key) => shapeOf(key) === shapeOf(toPath(route))) ?? toPath(route)
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: toOperation(route, path) }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'membership',
      version: '2',
      license: { name: 'MIT', identifier: 'MIT' },
      description: [
        'Every route of a site that embeds membership.',
        'Forms carry `token`, which proves that this browser was given the form, and the cookies of this site. Programs that send `Accept: application/json` are answered as described here, browsers go on to `redirect`.',
      ].join('\n\n'),
    },
    servers: [{ url: base || '/' }],
    paths: { ...paths, ...toIndexPaths() },
    webhooks: toWebhooks(),
    components: {
      securitySchemes: {
        session: { type: 'apiKey', in: 'cookie', name: 'membership_session' },
        signature: {
          type: 'apiKey',
          in: 'header',
          name: 'webhook-signature',
          description: 'The signature of a message: of a provider’s, or of ours to a receiver.',
        },
        apiKey: { type: 'apiKey', in: 'header', name: 'X-API-KEY' },
      },
      // The index's own document already describes these errors.
      schemas: { ...indexSchemas(), Subscription: schemaOf(subscriptionSchema, 'output', []) },
    },
  }
}

/** Messages of Standard Webhooks that this site sends to the receivers of `membership.notify`. */
function toWebhooks(): object {
  return Object.fromEntries(
    Object.entries(outgoingEventSchemas).map(([name, schema]) => [
      name,
      {
        post: {
          operationId: `on.${name}`,
          summary: `${name}, for receivers of membership.notify`,
          security: [{ signature: [] }],
          parameters: ['webhook-id', 'webhook-timestamp', 'webhook-signature'].map((header) => ({
            name: header,
            in: 'header',
            required: true,
            schema: { type: 'string' },
          })),
          requestBody: {
            required: true,
            content: { 'application/json': { schema: schemaOf(schema, 'output') } },
          },
          responses: {
            '2XX': { description: 'Received.' },
            410: { description: 'No more of this.' },
          },
        },
      },
    ]),
  )
}

function toPath({ path }: Route): string {
  return path.replaceAll(/:(\w+)/g, '{$1}')
}
function shapeOf(path: string): string {
  return path.replaceAll(/\{\w+\}/g, '{}')
}

function toOperation(route: Route, path: string): object {
  const { id, summary, fields, answers } = operations[`${route.method} ${route.path}`] ?? ofProvider(route)
  return {
    operationId: id,
    summary,
    security: securityOf(route),
    ...parametersOf(path),
    ...(fields === undefined ? {} : { requestBody: bodyOf(fields) }),
    responses: {
      ...Object.fromEntries(Object.entries(answers).map(([status, answer]) => [status, answerOf(answer)])),
      ...(fields === undefined ? {} : { 303: { description: 'Browsers go on.' } }),
      '4XX': problem('The request was not carried out. `code` gives the reason, and `action` the next step.'),
      '5XX': problem('Not available at the moment.'),
    },
  }
}

/** Describes a page of one provider. @throws Error for a route that belongs to no provider */
function ofProvider({ method, path }: Route): Operation {
  const [, provider, page] = /^\/membership\/(\w+)\/(\w+)/.exec(path) ?? []
  if (provider === undefined || page === undefined) throw new Error(`Nobody described ${method} ${path}.`)
  const id = [method.toLowerCase(), provider, page].map((word) => word[0]!.toUpperCase() + word.slice(1))
  const summary = `A page of the provider ${provider}: ${page}`
  return {
    id: id.join(''),
    summary,
    fields: method === 'POST' ? z.looseObject({}) : undefined,
    answers: { 200: null },
  }
}

function securityOf({ path, access }: Route): object[] {
  if (path.startsWith('/membership/webhooks/')) return [{ signature: [] }]
  return access.needs === 'none' ? [] : [{ session: [] }]
}

function parametersOf(path: string): object {
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name)
  const parameters = names.map((name) => ({ name, in: 'path', required: true, schema: { type: 'string' } }))
  return parameters.length === 0 ? {} : { parameters }
}

function bodyOf(fields: z.ZodType): object {
  const { required = [], ...schema } = schemaOf(fields) as { properties?: object; required?: string[] }
  const token = { type: 'string', description: 'From the page that holds the form.' }
  const whole = {
    ...schema,
    properties: { token, ...schema.properties },
    required: ['token', ...required],
  }
  const kinds = ['application/x-www-form-urlencoded', 'application/json']
  return { required: true, content: Object.fromEntries(kinds.map((kind) => [kind, { schema: whole }])) }
}

function answerOf(answer: z.ZodType | null): object {
  return answer === null
    ? { description: 'A page, or a file.' }
    : {
        description: 'ActionResult.',
        content: { 'application/json': { schema: schemaOf(answer, 'output') } },
      }
}

function problem(description: string): object {
  return {
    description,
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  }
}

// Schemas that occur in many answers are written once and referenced.
const named: readonly unknown[] = [subscriptionSchema]

function schemaOf(schema: z.ZodType, io: 'input' | 'output' = 'input', apart = named): object {
  const { $schema: _, ...made } = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      if (!apart.includes(zodSchema)) return
      for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
      jsonSchema.$ref = '#/components/schemas/Subscription'
    },
  })
  return made
}

// Partners' requests carry a key, in addition to any login that the site asks for.
function toIndexPaths(): object {
  return Object.fromEntries(
    Object.entries(indexPaths() as Record<string, Record<string, object>>).map(([path, methods]) => [
      path,
      Object.fromEntries(
        Object.entries(methods).map(([method, operation]) => [
          method,
          { ...operation, security: [{ apiKey: [] }] },
        ]),
      ),
    ]),
  )
}
